// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

/** The remainder of a part that stays open, beside its bytes, at the end of an epoch.
  *
  * @param note         a short text of the format's own
  * @param rows         the rows for a file beside the part, if any
  * @param storageBytes what all rows beside the part will add to it, as far as that can be known
  */
final case class Leftover(note: String, rows: LeftoverRows, storageBytes: Long)

object Leftover {

  /** Everything is in the part. */
  val nothing: Leftover = Leftover("", LeftoverRows.None, 0)
}

/** Rows that are kept beside a part; written where and when the protocol says. */
sealed trait LeftoverRows
object LeftoverRows {

  /** None are left, of this epoch or others. */
  case object None extends LeftoverRows

  /** Those of this epoch, behind those that earlier ones have left. */
  final case class More(writeTo: OutputStream => Unit) extends LeftoverRows

  /** These, in place of all that earlier epochs have left. */
  final case class Instead(writeTo: OutputStream => Unit) extends LeftoverRows
}
