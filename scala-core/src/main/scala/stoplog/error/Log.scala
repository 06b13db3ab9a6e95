// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** The only way into the log: texts and exceptions pass [[Redaction]], as clients and drivers repeat what they were given. */
private[stoplog] object Log {
  private val logger = LoggerFactory.getLogger("stoplog")

  def info(said: String): Unit = logger.info(Redaction.text(said))

  def info(said: String, e: Throwable): Unit = logger.info(Redaction.text(said), Redaction.cause(e))

  def warn(said: String): Unit = logger.warn(Redaction.text(said))

  def warn(said: String, e: Throwable): Unit = logger.warn(Redaction.text(said), Redaction.cause(e))

  /** Does what may fail once all that was promised is done: a failure becomes a warning, and goes no further. So a commit that
    * has decided and shown its rows never fails for the sake of what is tidied up behind it.
    */
  def tolerating(said: => String)(action: => Unit): Unit =
    try action
    catch { case NonFatal(e) => warn(said, e) }

  def debug(said: String, e: Throwable): Unit = logger.debug(Redaction.text(said), Redaction.cause(e))
}
