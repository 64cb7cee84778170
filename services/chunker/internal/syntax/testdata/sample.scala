package a.b

import c.d

/** Doc. */
@ann
final case class Point[A](x: Int) extends Base with T {
  type X = Int
  val z = 1
  def run[B](a: Int): Int = {
    a
  }
  private[this] var q: Int = 1
  def +(o: Point[A]): Point[A] = o
}
object Point {
  implicit def make(x: Int): Point[Int] = Point(x)
  given foo: Ord[Int] = ???
}
trait T { def m(): Unit }
package object p { val x = 1 }
enum Color { case Red, Green }
def top = 1
val v = 2
type Id[A] = A
