// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.compact.PlannedMerge
import stoplog.engine.JarVersions
import stoplog.filesink.SinkCheck
import stoplog.format.Encoder
import stoplog.format.bulk.BulkWriters
import stoplog.merge.DirectoryMerges
import stoplog.options.{SinkOptionRegistry, SinkOptions}
import stoplog.preflight.Preflight
import stoplog.spark.RunEnds
import stoplog.util.UserObject

/** Rolling part files, each row exactly once, that any engine can read: the sink, fully set.
  *
  * {{{
  * val sink = FileSink
  *   .forRowFormat("/data/events", "json")
  *   .withRollingPolicy(DefaultRollingPolicy().withMaxPartSizeBytes(256L << 20))
  *   .withBucketBy("concat('day=', date(at))")
  *   .withCompression("zstd")
  *   .build()
  *
  * sink.writeStream(events).option("checkpointLocation", "/data/checkpoints/events").start()
  * }}}
  *
  * A batch writer adds files to the directory; `mode("overwrite")` on it replaces those that it has.
  *
  * Immutable. The same options can be set one by one on `format("stoplog")`; they are listed in `docs/reference/options.md`.
  */
final class FileSink private[stoplog] (settings: SinkOptions)
    extends ConfiguredSink(FileSink.Format, settings.toMap) {

  /** Looks for what would keep a query with these rows from starting, or surprise later, and starts nothing.
    *
    * It asks of the columns what the format and the buckets ask, looks at the names that files will have and at what
    * others write under the same path, and tries on the storage, in a directory of its own under `_stoplog`, all that
    * the sink will do there. A batch's first hundred rows are computed to see their buckets; a stream is not started.
    *
    * @param rows what the query will write
    */
  def check(rows: DataFrame): Preflight = SinkCheck.of(rows, settings)

  override def toString: String = UserObject.described("FileSink", settings.toMap)
}

object FileSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog"

  /** A sink that writes row by row.
    *
    * @param path   the directory of the finished files
    * @param format `text`, `json` or `csv`
    */
  def forRowFormat(path: String, format: String): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "format" -> format))

  /** A sink that writes row by row, with the user's own encoder. */
  def forRowFormat(path: String, encoder: Encoder): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "encoder" -> UserObject.reference(encoder, "encoder")))

  /** A sink that writes many rows together, in blocks. Its parts stay open across micro-batches like any other.
    *
    * @param path   the directory of the finished files
    * @param format `parquet`, `orc`, `avro` or `sequencefile`
    */
  def forBulkFormat(path: String, format: String): FileSinkBuilder = forRowFormat(path, format)

  /** The same with the user's own format. */
  def forBulkFormat(path: String, writers: BulkWriters): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "bulkWriter" -> UserObject.reference(writers, "bulkWriter")))

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): FileSink = new FileSink(SinkOptions.parse(options))

  /** [[FileSink.check]] of options that may be wrong themselves: then that is what is found. */
  def checkOf(rows: DataFrame, options: JMap[String, String]): Preflight = SinkCheck.ofOptions(rows, options)

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = SinkOptionRegistry.all.map(_.key).asJava

  /** Waits until the end of a query's run has been dealt with: its open parts are finished then, if they were to be.
    *
    * `awaitTermination` returns a moment earlier, because Spark tells only listeners that a query has ended.
    *
    * @param runId         `query.runId`
    * @param timeoutMillis how long to wait at most, in milliseconds
    * @return whether it was over in time, and the parts are finished; where storage did not let the sink finish them, the
    *         driver's log tells why, and the next start does it
    */
  def awaitFinished(runId: String, timeoutMillis: Long): Boolean = RunEnds.await(runId, timeoutMillis)

  /** The `StreamingQueryProgress.sink.metrics` of a run that is over, with the sink's work since
    * Spark's last progress; empty before [[awaitFinished]] answers `true`.
    *
    * @param runId `query.runId`
    */
  def finalMetrics(runId: String): JMap[String, String] = RunEnds.finalMetrics(runId)

  /** The small files of an old directory, to be merged by a batch command, of any writer.
    *
    * No query may write to them, and no table format may know them by their names: directories of Delta Lake, Iceberg,
    * Hudi or Spark's own streaming sink are refused with `STOPLOG_FOREIGN_TABLE`, and the files that a stoplog sink
    * may still merge itself are left to it.
    *
    * @param path    the directory, with all directories below it
    * @param options `format` where names do not tell it, `header` for CSV, `lineSep` where lines end with no line feed,
    *                `compactTo`, `compactSmallerThan`, `compactMinFiles`, `compactor`
    */
  def compactDirectory(
      session: SparkSession,
      path: String,
      options: Map[String, String] = Map.empty
  ): DirectoryCompaction = new DirectoryCompaction(DirectoryMerges(session, path, options))

  /** [[compactDirectory]] for Java and Python. */
  def compactDirectoryOf(
      session: SparkSession,
      path: String,
      options: JMap[String, String]
  ): DirectoryCompaction = compactDirectory(session, path, options.asScala.toMap)

  /** The version of this jar. */
  def version(): String = JarVersions.core
}

/** The small files of a directory, as one batch command merges them: see [[FileSink.compactDirectory]].
  *
  * {{{
  * val compaction = FileSink.compactDirectory(spark, "/data/old", Map("compactTo" -> "256m"))
  * compaction.plan().foreach(println) // changes nothing
  * compaction.run()
  * }}}
  */
final class DirectoryCompaction private[stoplog] (merges: DirectoryMerges) {

  /** The merges that [[run]] would make now. Reads, and changes nothing. */
  def plan(): Seq[PlannedMerge] = merges.plan()

  /** Merges, and answers what was merged. What cannot be read stays as it is, with a warning in the log.
    *
    * A run that died is carried on by the next one; of two at once, the older one fails with `STOPLOG_FENCED` and has
    * doubled nothing.
    */
  def run(): Seq[PlannedMerge] = merges.run()

  /** [[plan]] for Java and Python. */
  def planAsList(): JList[PlannedMerge] = plan().asJava

  /** [[run]] for Java and Python. */
  def runAsList(): JList[PlannedMerge] = run().asJava
}
