// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors

/** Which state of which sink `spark.read` is to show.
  *
  * @param path   the sink's directory
  * @param sinkId the name of its commit log
  */
private[stoplog] final case class ViewOptions(path: String, sinkId: String, view: View)

/** A table that shows the state of a sink. */
private[stoplog] sealed trait View extends Product with Serializable

private[stoplog] object View {

  /** Every part that the kept records name: finished, pending or open. */
  case object Parts extends View

  /** The kept epochs. */
  case object Epochs extends View

  /** The parts that are open after the newest record. */
  case object Open extends View

  /** The buckets that have rows and no marker for them yet. */
  case object Buckets extends View
}

private[stoplog] object ViewOptions {

  val View: Opt[View] = OptionGroup.Read.option(
    "view",
    OptionType.words[View](
      "parts"   -> stoplog.options.View.Parts,
      "epochs"  -> stoplog.options.View.Epochs,
      "open"    -> stoplog.options.View.Open,
      "buckets" -> stoplog.options.View.Buckets
    ),
    "open"
  )(
    "none",
    "Which table `spark.read.format(\"stoplog\")` shows of the sink at `path`: its parts, its epochs, the parts that " +
      "are open now, or the buckets without a marker. Without it, files are read."
  )

  /** The requested view, or none when `view` is not set: then the options are those of a write.
    *
    * All other options of a sink are passed over, so that the same map can be used for writing and for
    * looking. Throws `STOPLOG_VIEW_UNKNOWN`, `STOPLOG_PATH_MISSING` or `STOPLOG_INVALID_OPTIONS`.
    */
  def parse(options: JMap[String, String]): Option[ViewOptions] = {
    val asked = new OptionReader(options.asScala.toSeq, SinkOptionRegistry.all)
    asked.text(View).map { word =>
      val view   = View.values.parse(word).getOrElse(throw Errors.viewUnknown(word))
      val path   = asked.text(OutputOptions.Path).getOrElse(throw Errors.pathMissing())
      val sinkId = asked(RecoveryOptions.SinkId)
      asked.errors.throwIfAny()
      ViewOptions(path, sinkId, view)
    }
  }
}
