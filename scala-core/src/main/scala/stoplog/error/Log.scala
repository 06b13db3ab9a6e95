// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** The only access to the logger. [[Redaction]] hides secrets repeated by clients and drivers. */
private[stoplog] object Log {
  private val logger = LoggerFactory.getLogger("stoplog")

  def info(message: String): Unit = logger.info(Redaction.text(message))

  def info(message: String, e: Throwable): Unit = logger.info(Redaction.text(message), Redaction.cause(e))

  def warn(message: String): Unit = logger.warn(Redaction.text(message))

  def warn(message: String, e: Throwable): Unit = logger.warn(Redaction.text(message), Redaction.cause(e))

  /** Runs an optional action after a completed step. A failure is logged as a warning and not thrown. So
    * cleanup never fails a commit whose rows are decided and visible.
    */
  def tolerating(message: => String)(action: => Unit): Unit =
    try action
    catch { case NonFatal(e) => warn(message, e) }

  def debug(message: String, e: Throwable): Unit = logger.debug(Redaction.text(message), Redaction.cause(e))
}
