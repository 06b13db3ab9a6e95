// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}

/** What may be done with bytes behind the committed ones when a part is finished, as asked for. */
sealed trait Truncation extends Product with Serializable {

  /** What the name of a `.valid-length` file has before and behind the name of its part. */
  def prefix: String
  def suffix: String
}

object Truncation {

  /** They are cut off, or left out. */
  case object Allowed extends Truncation {
    override def prefix: String = Registry.ValidLengthPrefix.default.getOrElse("")
    override def suffix: String = Registry.ValidLengthSuffix.default.getOrElse("")
  }

  /** They stay, and a file beside the part says how many bytes count. */
  final case class ValidLength(prefix: String, suffix: String) extends Truncation
}
