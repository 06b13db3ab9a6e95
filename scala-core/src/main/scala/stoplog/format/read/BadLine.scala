// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors}
import stoplog.source.file.Line

/** Says where a line is that cannot be read. */
private[read] object BadLine {

  /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE` in place of any other. */
  def at[A](line: Line)(action: => A): A =
    try action
    catch {
      case NonFatal(e) =>
        throw Errors.sourceFileUnreadable(
          line.fileName,
          s"byte ${line.position.getOrElse(0L)}",
          Causes.reason(e),
          e
        )
    }
}
