// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** The treatment that a user allows for the bytes behind the committed ones when a part is finished: they were never
  * committed (I2).
  */
sealed trait Truncation extends Product with Serializable {

  /** The name of a `.valid-length` file is the name of its part with this before and this behind it. */
  def prefix: String
  def suffix: String
}

object Truncation {

  /** Of a user who named none. */
  val DefaultPrefix: String = "_"
  val DefaultSuffix: String = ".valid-length"

  /** They are cut off, or left out of a copy. */
  case object Allowed extends Truncation {
    override def prefix: String = DefaultPrefix
    override def suffix: String = DefaultSuffix
  }

  /** They stay, and a file beside the part says how many bytes count. */
  final case class ValidLength(prefix: String, suffix: String) extends Truncation
}
