// SPDX-License-Identifier: Apache-2.0
package stoplog

import scala.jdk.CollectionConverters._

import stoplog.announce.AnnouncementTarget
import stoplog.bucket.BucketAssigner
import stoplog.compact.Compactor
import stoplog.options.{ColumnNames, RollingOptions}
import stoplog.rolling.RollingPolicy
import stoplog.util.UserObject

/** Builds a [[FileSink]]. Immutable: each method returns a new builder. Only [[build]] checks options. */
final class FileSinkBuilder private[stoplog] (options: Map[String, String]) {

  /** Sets the rolling policy. By default: 128 MiB, 15 minutes of age, or 5 minutes without a row. */
  def withRollingPolicy(policy: RollingPolicy): FileSinkBuilder =
    new FileSinkBuilder(options -- RollingOptions.keys ++ RollingOptions.toMap(policy))

  /** Sets the column with the event time of a row. By default the column of the query's `withWatermark`. */
  def withEventTimeColumn(column: String): FileSinkBuilder = withOption("eventTimeColumn", column)

  /** Sets the interval of policy checks without new data, such as `1m`, the default. */
  def withBucketCheckInterval(interval: String): FileSinkBuilder = withOption("bucketCheckInterval", interval)

  /** Sets the assigner, which names a row's directory. By default hourly: `dt=2026-01-31/hour=23` in UTC. */
  def withBucketAssigner(assigner: BucketAssigner): FileSinkBuilder =
    withOption("bucketAssigner", UserObject.reference(assigner, "bucketAssigner"))

  /** Creates a directory for each value of a SQL expression over the row. */
  def withBucketBy(sql: String): FileSinkBuilder = withOption("bucketBy", sql)

  /** Creates Hive-style directories `column=value`. The files do not contain these columns. */
  def withPartitionBy(columns: String*): FileSinkBuilder =
    withOption("partitionBy", ColumnNames.render(columns))

  /** Sets the files that a batch write in mode `overwrite` replaces: `static` (everything) or `dynamic` (the
    * directories of its rows). By default the session's `spark.sql.sources.partitionOverwriteMode`.
    */
  def withPartitionOverwriteMode(mode: String): FileSinkBuilder = withOption("partitionOverwriteMode", mode)

  /** Sets the condition on partition columns that selects the replaced partitions in mode `overwrite`. */
  def withReplaceWhere(condition: String): FileSinkBuilder = withOption("replaceWhere", condition)

  /** For rows `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2`; for a bulk format, a codec of that format.
    */
  def withCompression(name: String): FileSinkBuilder = withOption("compression", name)

  /** Sets the prefix of finished files' names. The default is `part`. */
  def withPartPrefix(prefix: String): FileSinkBuilder = withOption("partPrefix", prefix)

  /** Sets the suffix of finished files' names. The default depends on the format and the compression. */
  def withPartSuffix(suffix: String): FileSinkBuilder = withOption("partSuffix", suffix)

  /** Sets the name of the log, distinct for each query of a directory. The default is `main`. */
  def withSinkId(sinkId: String): FileSinkBuilder = withOption("sinkId", sinkId)

  /** Sets the reaction to a log of another query: `fail` (the default), `adopt`, or `adoptAndRepeat`, which
    * writes rows again and is valid for one start.
    */
  def withOnForeignQuery(choice: String): FileSinkBuilder = withOption("onForeignQuery", choice)

  /** Sets the action of a start on earlier open parts: `continue` (the default) or `finish`. */
  def withOnRestart(choice: String): FileSinkBuilder = withOption("onRestart", choice)

  /** Sets when open parts are finished at the end of a query: `auto`, `always` or `never`. */
  def withFinalizeOnTermination(choice: String): FileSinkBuilder = withOption("finalizeOnTermination", choice)

  /** Sets the handling of a lost part: `fail` or `skip`. */
  def withOnLostPart(choice: String): FileSinkBuilder = withOption("onLostPart", choice)

  /** Sets the handling of a row that cannot be written: `fail` or `reject`. */
  def withOnBadRow(choice: String): FileSinkBuilder = withOption("onBadRow", choice)

  /** Sets the rule for complete buckets (marker `_SUCCESS`), such as `watermark 10m` or `idle 1h`. */
  def withBucketComplete(when: String): FileSinkBuilder = withOption("bucketComplete", when)

  /** Announces visible files and complete buckets to a target of this kind, such as `webhook`.
    *
    * @param name     the name of the target, unique for the sink
    * @param settings the settings of the target
    */
  def withAnnouncement(name: String, kind: String, settings: Map[String, String]): FileSinkBuilder =
    settings.foldLeft(withOption(s"announce.$name", kind)) { case (builder, (setting, value)) =>
      builder.withOption(s"announce.$name.$setting", value)
    }

  /** Announces visible files and complete buckets to this target, which MUST be serializable. */
  def withAnnouncement(name: String, target: AnnouncementTarget): FileSinkBuilder =
    withOption(s"announce.$name", UserObject.reference(target, s"announce.$name"))

  /** Sets the manifests: `none` (the default), `json`, or the time for which they are kept, such as `30d`. */
  def withManifest(form: String): FileSinkBuilder = withOption("manifest", form)

  /** Sets whether small finished parts are compacted: `none`, `smallParts`, or a size such as `256m`. */
  def withCompaction(choice: String): FileSinkBuilder = withOption("compaction", choice)

  /** Sets the number of epochs for which small parts wait for further small parts. The default is 100. */
  def withCompactAfterEpochs(epochs: Long): FileSinkBuilder =
    withOption("compactAfterEpochs", epochs.toString)

  /** Sets the compactor for parts of a custom encoder or bulk writer. */
  def withCompactor(compactor: Compactor): FileSinkBuilder =
    withOption("compactor", UserObject.reference(compactor, "compactor"))

  /** Sets the handling of a changed schema: `fail`, `additive` or `roll`. The default is `additive`. */
  def withOnSchemaChange(choice: String): FileSinkBuilder = withOption("onSchemaChange", choice)

  /** Sets the durability: `disk` or `process`. */
  def withDurability(choice: String): FileSinkBuilder = withOption("durability", choice)

  /** Sets the maximum number of open parts of a task. The default is 1,000. */
  def withMaxOpenParts(count: Int): FileSinkBuilder = withOption("maxOpenParts", count.toString)

  /** Sets the distribution of rows to writers: `none`, `byBucket` or a number of writers. */
  def withDistribution(choice: String): FileSinkBuilder = withOption("distribution", choice)

  /** Sets any option by name: an option of the sink, or of Spark's own writer of the format. */
  def withOption(key: String, value: String): FileSinkBuilder =
    new FileSinkBuilder(options + (key -> value))

  /** Creates the sink.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; lists all problems
    */
  def build(): FileSink = FileSink.fromOptions(options.asJava)

}
