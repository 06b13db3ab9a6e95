// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.bucket.Bucketing
import stoplog.error.Errors
import stoplog.util.UserObject

/** All options of one write, validated and with defaults, in the groups of their page.
  *
  * Created only by [[SinkOptions.parse]]. [[SinkOptionRegistry]] contains the meaning, default and an example
  * of every option.
  *
  * @param explicit the options set by the user, with the registry's spelling
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

  /** Returns the options set by the user, without defaults, with the registry's spelling.
    * [[SinkOptions.parse]] accepts the result.
    */
  def toMap: Map[String, String] = explicit

  /** Returns the options with another bucketing of the same kind. The user's options stay the same. */
  def withBucketing(bucketing: Bucketing): SinkOptions = new SinkOptions(
    output,
    rolling,
    buckets.copy(bucketing = bucketing),
    parts,
    recovery,
    rejects,
    explicit
  )

  /** Returns Spark's `checkpointLocation`, which is present only if set as an option. */
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

  /** Parses the options of a write. Names are case-insensitive.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems. A single problem throws `STOPLOG_PATH_MISSING`,
    * `STOPLOG_USER_CODE` or `STOPLOG_OPTION_COLUMN`, where applicable.
    *
    * {{{
    * SinkOptions.parse(Map("path" -> "/data/events", "format" -> "json", "maxPartSize" -> "64m"))
    * }}}
    */
  def parse(options: Map[String, String]): SinkOptions = parse(options.toSeq)

  /** Parses a Java map, such as the map that Spark passes to a data source. */
  def parse(options: JMap[String, String]): SinkOptions = parse(SparkOptions.spelled(options))

  private def parse(options: Seq[(String, String)]): SinkOptions = {
    val reader           = new OptionReader(options, SinkOptionRegistry.all)
    val (output, format) = OutputOptions.parse(reader)
    val buckets          = BucketOptions.parse(reader)
    val rolling          = RollingOptions.parse(reader, buckets.bucketing)
    val recovery         = RecoveryOptions.parse(reader)
    val rejects          = RecoveryOptions.rejects(reader)
    val compaction       = CompactionOptions.parse(reader, format, rolling.policy)
    val parts            = PartOptions.parse(reader, recovery.sinkId, compaction)
    reader.withoutEffect(Seq(ViewOptions.View), "on a write, only with spark.read")
    reader.withoutEffect(Seq(LogOptions.LogLocation), "on a sink of files, which has its log with them")
    reader.refuseIdleParameters()
    reader.errors.throwIfAny()
    val explicit = reader.registeredValues ++ reader.parameterValues ++ output.passThrough ++
      reader.others.filter(other => PassThrough.isSparks(other._1))
    new SinkOptions(output, rolling, buckets, parts, recovery, rejects, explicit)
  }
}

/** Every option of the sink, in the order of its page. Only options of the groups of [[OptionGroup.all]] have
  * a row. The parser, `docs/reference/options.md` and the Python package must match this list.
  */
private[stoplog] object SinkOptionRegistry {

  val all: Seq[Opt[_]] = Seq(
    OutputOptions.all,
    RollingOptions.all,
    CompactionOptions.all,
    BucketOptions.all,
    OverwriteOptions.all,
    PartOptions.all,
    RecoveryOptions.all,
    Completeness.all,
    AnnounceOptions.all,
    Seq(LogOptions.UserSink, LogOptions.LogLocation, PythonOptions.Timeout),
    Seq(ViewOptions.View, BucketingSinkOptions.Settings)
  ).flatten
}

/** The state of a sink to be read by `spark.read`.
  *
  * @param path   the sink's directory
  * @param sinkId the name of its commit log
  */
private[stoplog] final case class ViewOptions(path: String, sinkId: String, view: View)

/** A table with the state of a sink. */
private[stoplog] sealed abstract class View(val word: String) extends Product with Serializable

private[stoplog] object View {

  /** Every part named by the kept records: finished, pending or open. */
  case object Parts extends View("parts")

  /** The kept epochs. */
  case object Epochs extends View("epochs")

  /** The open parts after the newest record. */
  case object Open extends View("open")

  /** The buckets with rows not counted by a marker. */
  case object Buckets extends View("buckets")

  /** The targets of announcements, and the records that wait. */
  case object Announcements extends View("announcements")

  val all: Seq[View] = Seq(Parts, Epochs, Open, Buckets, Announcements)
}

private[stoplog] object ViewOptions {

  val View: Opt[View] = OptionGroup.Read.option(
    "view",
    OptionType.named(stoplog.options.View.all)(_.word),
    "open"
  )(
    "none",
    "The table of the sink at `path` that `spark.read.format(\"stoplog\")` shows: the parts, the epochs, " +
      "the open parts, the buckets without a marker, or the targets of announcements. Without this option, " +
      "Spark reads files."
  )

  /** Returns the requested view, or `None` if `view` is not set. In this case, the options belong to a write.
    *
    * All other sink options are ignored, so that the same map works for writes and views. Throws
    * `STOPLOG_PATH_MISSING` or `STOPLOG_INVALID_OPTIONS`.
    */
  def parse(options: JMap[String, String]): Option[ViewOptions] = {
    val reader = new OptionReader(options.asScala.toSeq, SinkOptionRegistry.all)
    reader.text(View).map { word =>
      val view   = View.values.parse(word).getOrElse(throw Errors.viewUnknown(word))
      val path   = reader.text(OutputOptions.Path).getOrElse(throw Errors.pathMissing())
      val sinkId = reader(RecoveryOptions.SinkId)
      reader.errors.throwIfAny()
      ViewOptions(path, sinkId, view)
    }
  }
}
