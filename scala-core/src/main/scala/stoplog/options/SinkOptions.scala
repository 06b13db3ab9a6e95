// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import stoplog.error.Redaction
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
    val rejects: RejectOptions,
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

  override def toString: String =
    Redaction.options("SinkOptions", explicit.map { case (key, value) => key -> UserObject.shown(value) })
}

private[stoplog] object SinkOptions {

  /** Reads the options of a write, whatever the case of their names.
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
