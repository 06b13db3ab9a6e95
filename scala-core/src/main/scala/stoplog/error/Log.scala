// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** The only access to the logger. [[Redaction]] hides secrets repeated by clients and drivers. */
private[stoplog] object Log {
  private val logger = LoggerFactory.getLogger("stoplog")

  def info(said: String): Unit = logger.info(Redaction.text(said))

  def info(said: String, e: Throwable): Unit = logger.info(Redaction.text(said), Redaction.cause(e))

  def warn(said: String): Unit = logger.warn(Redaction.text(said))

  def warn(said: String, e: Throwable): Unit = logger.warn(Redaction.text(said), Redaction.cause(e))

  /** Runs an optional action after a completed step. A failure is logged as a warning and not thrown. So
    * cleanup never fails a commit whose rows are decided and visible.
    */
  def tolerating(said: => String)(action: => Unit): Unit =
    try action
    catch { case NonFatal(e) => warn(said, e) }

  def debug(said: String, e: Throwable): Unit = logger.debug(Redaction.text(said), Redaction.cause(e))
}
