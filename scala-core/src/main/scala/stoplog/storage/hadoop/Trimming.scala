// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.storage.{Growth, Truncation}

/** The treatment of bytes behind the recorded length when a part is published: they were never committed (I2). */
sealed trait Trimming extends Product with Serializable

object Trimming {

  /** They are cut off. */
  case object Truncate extends Trimming

  /** The others are copied. */
  case object Copy extends Trimming

  /** They stay, and a file beside the part says how many bytes count: see [[ValidLengths]]. */
  case object ValidLength extends Trimming

  def of(asked: Truncation, growth: Growth): Trimming = (asked, growth) match {
    case (Truncation.ValidLength(_, _), _) => ValidLength
    case (_, Growth.AppendAndTruncate)     => Truncate
    case _                                 => Copy
  }
}
