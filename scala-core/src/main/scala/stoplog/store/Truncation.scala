// SPDX-License-Identifier: Apache-2.0
package stoplog.store

/** What a storage may do with bytes behind the committed ones when a part is finished. */
sealed trait Truncation extends Product with Serializable {

  /** What the name of a `.valid-length` file has before and behind the name of its part. */
  def prefix: String
  def suffix: String
}

object Truncation {

  /** The storage cuts them off, or leaves them out. */
  case object Allowed extends Truncation {
    override def prefix: String = "_"
    override def suffix: String = ".valid-length"
  }

  /** They stay, and a file beside the part says how many bytes count. */
  final case class ValidLength(prefix: String, suffix: String) extends Truncation
}
