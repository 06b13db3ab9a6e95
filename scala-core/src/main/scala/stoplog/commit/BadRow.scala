// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

/** A row that cannot be written, for a reason of its own. What threw it can take the next one; storage that fails is
  * another matter, and never told by this.
  */
final class BadRow(why: Throwable) extends RuntimeException(why)

object BadRow {

  /** Any failure in `action` is the row's fault. */
  def unless[A](action: => A): A =
    try action
    catch {
      case bad: BadRow => throw bad
      case NonFatal(e) => throw new BadRow(e)
    }
}
