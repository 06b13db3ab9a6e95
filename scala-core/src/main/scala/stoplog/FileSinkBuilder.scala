// SPDX-License-Identifier: Apache-2.0
package stoplog

import scala.jdk.CollectionConverters._

import stoplog.bucket.{BucketAssigner, BucketListener}
import stoplog.compact.Compactor
import stoplog.options.{ColumnNames, RollingOptions}
import stoplog.rolling.RollingPolicy
import stoplog.util.UserObject

/** Sets a [[FileSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class FileSinkBuilder private[stoplog] (options: Map[String, String]) {

  /** The policy that closes parts; by default at 128 MiB, after 15 minutes, or after 5 minutes without a row. */
  def withRollingPolicy(policy: RollingPolicy): FileSinkBuilder =
    new FileSinkBuilder(options -- RollingOptions.keys ++ RollingOptions.toMap(policy))

  /** The timestamp or date column in which rows have their event time; by default that of the query's `withWatermark`. */
  def withEventTimeColumn(column: String): FileSinkBuilder = withOption("eventTimeColumn", column)

  /** The time after which the driver asks the policy while no data arrives, such as `1m`, which is the default. */
  def withBucketCheckInterval(interval: String): FileSinkBuilder = withOption("bucketCheckInterval", interval)

  /** The assigner, which names the directory of a row; by default one for each hour in UTC, `dt=2026-01-31/hour=23`. */
  def withBucketAssigner(assigner: BucketAssigner): FileSinkBuilder =
    withOption("bucketAssigner", UserObject.reference(assigner, "bucketAssigner"))

  /** A directory for each value of a SQL expression over the row. */
  def withBucketBy(sql: String): FileSinkBuilder = withOption("bucketBy", sql)

  /** Hive-style directories `column=value`; the columns are left out of the files. */
  def withPartitionBy(columns: String*): FileSinkBuilder =
    withOption("partitionBy", ColumnNames.render(columns))

  /** For rows `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2`; for a bulk format, a codec of that format. */
  def withCompression(name: String): FileSinkBuilder = withOption("compression", name)

  /** The prefix of finished files' names; `part` by default. */
  def withPartPrefix(prefix: String): FileSinkBuilder = withOption("partPrefix", prefix)

  /** The suffix of finished files' names; by default that of the format and the compression. */
  def withPartSuffix(suffix: String): FileSinkBuilder = withOption("partSuffix", suffix)

  /** The name of the log; queries that write to one directory need one each. `main` by default. */
  def withSinkId(sinkId: String): FileSinkBuilder = withOption("sinkId", sinkId)

  /** `fail` or `adopt`. */
  def withOnForeignQuery(choice: String): FileSinkBuilder = withOption("onForeignQuery", choice)

  /** `continue`, which is the default, or `finish`: what a start does with parts that an earlier one has left open. */
  def withOnRestart(choice: String): FileSinkBuilder = withOption("onRestart", choice)

  /** `auto`, `always` or `never`. */
  def withFinalizeOnTermination(choice: String): FileSinkBuilder = withOption("finalizeOnTermination", choice)

  /** `fail` or `skip`. */
  def withOnLostPart(choice: String): FileSinkBuilder = withOption("onLostPart", choice)

  /** `fail` or `reject`: what becomes of a row that cannot be written. */
  def withOnBadRow(choice: String): FileSinkBuilder = withOption("onBadRow", choice)

  /** The rule by which a bucket is complete and gets a marker `_SUCCESS`: `watermark`, `processingTime` or `idle`. */
  def withBucketComplete(when: String): FileSinkBuilder = withOption("bucketComplete", when)

  /** The time from a bucket's end, or with `idle` from its last row, to its marker, such as `10m`. */
  def withBucketCompleteDelay(delay: String): FileSinkBuilder = withOption("bucketCompleteDelay", delay)

  /** The content of a marker: `json`, which is the default, or `empty`. */
  def withBucketMarker(form: String): FileSinkBuilder = withOption("bucketMarker", form)

  /** Is told of each marker, at least once. */
  def withBucketListener(listener: BucketListener): FileSinkBuilder =
    withOption("bucketListener", UserObject.reference(listener, "bucketListener"))

  /** `json` lists the files of each commit; `none` by default. */
  def withManifest(form: String): FileSinkBuilder = withOption("manifest", form)

  /** The time for which manifests are kept, such as `30d`; for good by default. */
  def withManifestRetention(retention: String): FileSinkBuilder = withOption("manifestRetention", retention)

  /** `none` or `smallParts`: whether small finished parts are merged. */
  def withCompaction(choice: String): FileSinkBuilder = withOption("compaction", choice)

  /** The largest size of a merged part, such as `256m`. */
  def withCompactTo(size: String): FileSinkBuilder = withOption("compactTo", size)

  /** Below which size finished parts are merged; a quarter of that of a merged part by default. */
  def withCompactSmallerThan(size: String): FileSinkBuilder = withOption("compactSmallerThan", size)

  /** For how many epochs small parts wait for more of them; 100 by default. */
  def withCompactAfterEpochs(epochs: Long): FileSinkBuilder =
    withOption("compactAfterEpochs", epochs.toString)

  /** The least number of parts of a merge; 2 by default. */
  def withCompactMinFiles(count: Int): FileSinkBuilder = withOption("compactMinFiles", count.toString)

  /** Merges the parts that an own encoder or bulk writer has written. */
  def withCompactor(compactor: Compactor): FileSinkBuilder =
    withOption("compactor", UserObject.reference(compactor, "compactor"))

  /** `fail`, `additive` or `roll`. */
  def withOnSchemaChange(choice: String): FileSinkBuilder = withOption("onSchemaChange", choice)

  /** `disk` or `process`. */
  def withDurability(choice: String): FileSinkBuilder = withOption("durability", choice)

  /** The most parts that one task keeps open; 1,000 by default. */
  def withMaxOpenParts(count: Int): FileSinkBuilder = withOption("maxOpenParts", count.toString)

  /** `none`, `byBucket` or a number of writers. */
  def withDistribution(choice: String): FileSinkBuilder = withOption("distribution", choice)

  /** Any option by its name: of the sink, or of Spark's own writer of the format. */
  def withOption(key: String, value: String): FileSinkBuilder =
    new FileSinkBuilder(options + (key -> value))

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): FileSink = FileSink.fromOptions(options.asJava)

}
