// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.collection.mutable

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** What stoplog says in the log. */
object LogCapture {
  def of(action: => Any): Seq[String] = events(action).map(_.getMessage.getFormattedMessage)

  /** The same with the exceptions. */
  def events(action: => Any): Seq[LogEvent] = {
    val said     = mutable.Buffer.empty[LogEvent]
    val logger   = LogManager.getLogger("stoplog").asInstanceOf[Logger]
    val appender = new AbstractAppender("capture", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = said.synchronized {
        said += event.toImmutable
        ()
      }
    }
    appender.start()
    logger.addAppender(appender)
    try action
    finally logger.removeAppender(appender)
    said.synchronized(said.toSeq)
  }
}
