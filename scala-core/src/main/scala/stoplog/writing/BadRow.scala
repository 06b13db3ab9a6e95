// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.util.control.NonFatal

/** A failure of one row, such as a value that the format cannot write. The writer can accept the next row. A
  * storage failure is never a `BadRow`.
  */
private[stoplog] final class BadRow(why: Throwable) extends RuntimeException(why)

private[stoplog] object BadRow {

  /** Wraps every non-fatal failure of `action` in a [[BadRow]]. */
  def unless[A](action: => A): A =
    try action
    catch {
      case bad: BadRow => throw bad
      case NonFatal(e) => throw new BadRow(e)
    }
}

/** The handling of a row that cannot be written. */
private[stoplog] sealed trait OnBadRow extends Product with Serializable

private[stoplog] object OnBadRow {

  /** Fails the query; nothing of the epoch is published. */
  case object Fail extends OnBadRow

  /** Writes the row to a rejected part, published with its epoch at a path that readers of the data skip. */
  case object Reject extends OnBadRow
}
