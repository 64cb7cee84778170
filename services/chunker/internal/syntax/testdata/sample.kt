@file:JvmName("X")
package a.b

import c.d

/** Doc. */
@Ann
data class Point(val x: Int, val y: Int) : Base() {
  private val z = 1
  constructor(a: String) : this(1, 2)
  init { println() }
  /** Doc. */
  override fun run(a: Int): Int {
    return a
  }
  companion object {
    const val K = 1
    fun make() = Point(1, 2)
  }
  enum class E { A, B; fun f() {} }
}
interface I { fun m() }
object Single { fun s() {} }
typealias T = Int
fun String.ext(a: Int) = 1
fun <T> List<T>.gen(): T { return this[0] }
val top = 1
val String.prop: Int get() = 1
