// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.util.UserObject

/** All options of one write, read, checked and with their defaults, in the groups of their page.
  *
  * Made by [[SinkOptions.parse]] only. The meaning, default and an example of every option are in
  * [[SinkOptionRegistry]].
  *
  * @param explicit the options that were set, in the registry's spelling
  */
private[stoplog] final class SinkOptions private (
    val output: OutputOptions,
    val rolling: RollingOptions,
    val buckets: BucketOptions,
    val parts: PartOptions,
    val recovery: RecoveryOptions,
    val rejects: RecoveryOptions.RejectOptions,
    explicit: Map[String, String]
) extends Serializable {

  /** The options that were set, without defaults, in the registry's spelling; [[SinkOptions.parse]] reads
    * them back.
    */
  def toMap: Map[String, String] = explicit

  /** Spark's option, which is here only if it was set as an option. */
  def checkpointLocation: Option[String] = explicit.collectFirst {
    case (key, value) if key.equalsIgnoreCase("checkpointLocation") => value
  }

  override def equals(other: Any): Boolean = other match {
    case that: SinkOptions => toMap == that.toMap
    case _                 => false
  }

  override def hashCode: Int = explicit.hashCode

  override def toString: String = UserObject.described("SinkOptions", explicit)
}

private[stoplog] object SinkOptions {

  /** Reads the options of a write, in any case of their names.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once; or `STOPLOG_PATH_MISSING`,
    * `STOPLOG_USER_CODE`, `STOPLOG_BUCKET_FORMAT` or `STOPLOG_PARTITION_COLUMNS` if that is the only one.
    *
    * {{{
    * SinkOptions.parse(Map("path" -> "/data/events", "format" -> "json", "maxPartSize" -> "64m"))
    * }}}
    */
  def parse(options: Map[String, String]): SinkOptions = parse(options.toSeq)

  /** As above, from Java, and from the map that Spark hands to a data source. */
  def parse(options: JMap[String, String]): SinkOptions = parse(SparkOptions.spelled(options))

  private def parse(options: Seq[(String, String)]): SinkOptions = {
    val asked            = new OptionReader(options, SinkOptionRegistry.all)
    val (output, format) = OutputOptions.parse(asked)
    val buckets          = BucketOptions.parse(asked)
    val rolling          = RollingOptions.parse(asked, buckets.bucketing)
    val recovery         = RecoveryOptions.parse(asked)
    val rejects          = RecoveryOptions.rejects(asked)
    val compaction       = CompactionOptions.parse(asked, format, rolling.policy)
    val parts            = PartOptions.parse(asked, recovery.sinkId, compaction)
    asked.withoutEffect(Seq(ViewOptions.View), "on a write, only with spark.read")
    asked.withoutEffect(Seq(LogOptions.LogLocation), "on a sink of files, which has its log with them")
    asked.refuseIdleParameters()
    asked.errors.throwIfAny()
    val explicit = asked.registeredValues ++ asked.parameterValues ++ output.passThrough ++
      asked.others.filter(other => PassThrough.isSparks(other._1))
    new SinkOptions(output, rolling, buckets, parts, recovery, rejects, explicit)
  }
}

/** Every option of the sink, in the order of its page: the parser, `docs/reference/options.md` and the Python package are held to
  * this list.
  */
private[stoplog] object SinkOptionRegistry {

  val all: Seq[Opt[_]] = Seq(
    OutputOptions.all,
    RollingOptions.all,
    CompactionOptions.all,
    BucketOptions.all,
    PartOptions.all,
    RecoveryOptions.all,
    Completeness.all,
    Seq(LogOptions.UserSink, LogOptions.LogLocation),
    Seq(ViewOptions.View)
  ).flatten
}

/** The state of a sink that `spark.read` is to show.
  *
  * @param path   the sink's directory
  * @param sinkId the name of its commit log
  */
private[stoplog] final case class ViewOptions(path: String, sinkId: String, view: View)

/** A table that shows the state of a sink. */
private[stoplog] sealed abstract class View(val word: String) extends Product with Serializable

private[stoplog] object View {

  /** Every part that the kept records name: finished, pending or open. */
  case object Parts extends View("parts")

  /** The kept epochs. */
  case object Epochs extends View("epochs")

  /** The parts that are open after the newest record. */
  case object Open extends View("open")

  /** The buckets that have rows and no marker for them yet. */
  case object Buckets extends View("buckets")

  val all: Seq[View] = Seq(Parts, Epochs, Open, Buckets)
}

private[stoplog] object ViewOptions {

  val View: Opt[View] = OptionGroup.Read.option(
    "view",
    OptionType.named(stoplog.options.View.all)(_.word),
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
