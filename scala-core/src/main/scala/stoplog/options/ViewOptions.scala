// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.options.{SinkOptionRegistry => Registry}

/** Which state of which sink `spark.read` is to show.
  *
  * @param path
  *   the sink's directory
  * @param sinkId
  *   the name of its commit log
  */
final case class ViewOptions(path: String, sinkId: String, view: View)

object ViewOptions {

  /** What was asked for, or none when `view` is not set: then the options are those of a write.
    *
    * All other options of a sink are passed over, so that the same map can be used for writing and for
    * looking. Throws `STOPLOG_VIEW_UNKNOWN`, `STOPLOG_PATH_MISSING` or `STOPLOG_INVALID_OPTIONS`.
    */
  def parse(options: JMap[String, String]): Option[ViewOptions] = {
    val problems = new Problems
    val asked    = new AskedOptions(options.asScala.toSeq, problems)
    asked.text(Registry.View).map { word =>
      val view   = View.all.find(_.word.equalsIgnoreCase(word.trim)).getOrElse(throw Errors.viewUnknown(word))
      val path   = asked.text(Registry.Path).getOrElse(throw Errors.pathMissing())
      val sinkId = asked.value(Registry.SinkId)(SinkIds.parse)
      problems.throwIfAny()
      ViewOptions(path, sinkId, view)
    }
  }
}
