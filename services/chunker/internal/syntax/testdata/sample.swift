// Copyright
import Foundation

/// Doc.
@available(iOS 13, *)
public final class Client: Base, P {
    let a = 1
    var b: Int { return 1 }
    init(x: Int) { self.a = x }
    deinit {}
    /// Doc.
    public func run<T>(_ a: Int, b: T) throws -> Int {
        return a
    }
    subscript(i: Int) -> Int { return 1 }
    enum E: String { case a, b(Int)
      func f() {} }
    static func == (l: Client, r: Client) -> Bool { true }
}
struct S { func s() {} }
protocol P { associatedtype T; var x: Int { get }; func m() }
extension Client { func ext() {} }
actor A { func a() {} }
typealias T = Int
func top() {}
let v = 1
#if DEBUG
func dbg() {}
#endif
