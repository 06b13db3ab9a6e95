// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

/** A row that cannot be written, for a reason of its own. What threw it can take the next one; storage that fails is
  * another matter, and never told by this.
  */
private[stoplog] final class BadRow(why: Throwable) extends RuntimeException(why)

private[stoplog] object BadRow {

  /** Any failure in `action` is the row's fault. */
  def unless[A](action: => A): A =
    try action
    catch {
      case bad: BadRow => throw bad
      case NonFatal(e) => throw new BadRow(e)
    }
}

/** The treatment of a row that cannot be written. */
private[stoplog] sealed trait OnBadRow extends Product with Serializable

private[stoplog] object OnBadRow {

  /** The query fails; nothing of the epoch is published. */
  case object Fail extends OnBadRow

  /** It is put aside, and published with its epoch where readers of the data do not look. */
  case object Reject extends OnBadRow
}
