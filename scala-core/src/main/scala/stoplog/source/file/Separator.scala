// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.charset.Charset

/** The separator at the end of a line. */
sealed trait Separator extends Serializable {

  /** How many bytes before an offset can still belong to the end of the line before it. */
  def lookBack: Int

  /** Whether lines can be found from the middle of a file: not where one separator can begin inside another. */
  def isSelfSynchronizing: Boolean
}

object Separator {

  /** A line feed, a carriage return, or both in this order, as in Spark. */
  case object AnyLineEnd extends Separator {
    override def lookBack: Int                = 1
    override def isSelfSynchronizing: Boolean = true
  }

  final case class Text(bytes: Vector[Byte]) extends Separator {
    override def lookBack: Int                = bytes.size
    override def isSelfSynchronizing: Boolean =
      (1 until bytes.size).forall(length => bytes.take(length) != bytes.takeRight(length))
  }

  def of(text: String, charset: Charset): Separator = Text(text.getBytes(charset).toVector)
}
