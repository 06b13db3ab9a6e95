// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.compact.PlannedCompaction
import stoplog.compact.job.DirectoryCompactionJob
import stoplog.engine.JarVersions
import stoplog.error.Log
import stoplog.filesink.SinkCheck
import stoplog.format.Encoder
import stoplog.format.bulk.BulkWriters
import stoplog.options.{SinkOptionRegistry, SinkOptions}
import stoplog.preflight.Preflight
import stoplog.spark.{RunEnds, SinkOfQuery}
import stoplog.util.UserObject

/** Writes rolling part files, readable by any engine, with each row exactly once. A `FileSink` is fully
  * configured.
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
  * A batch writer adds files to the directory. With `mode("overwrite")` it replaces the existing files, or
  * only some partitions: see [[FileSinkBuilder.withReplaceWhere]].
  *
  * Immutable. The same options can be set one by one on `format("stoplog")`. `docs/reference/options.md`
  * lists all options.
  */
final class FileSink private[stoplog] (settings: SinkOptions)
    extends ConfiguredSink(FileSink.Format, settings.toMap) {

  /** Checks for problems that would stop or surprise a query with these rows. Starts nothing.
    *
    * The method checks the columns against the format and the buckets, the names of future files, and other
    * writers under the same path. It also tries every storage operation of the sink in a separate directory
    * under `_stoplog`. For a batch, the first hundred rows are computed to find their buckets. A stream is
    * not started.
    *
    * @param rows the rows of the query
    */
  def check(rows: DataFrame): Preflight = SinkCheck.of(rows, settings)

  override def toString: String = UserObject.described("FileSink", settings.toMap)
}

object FileSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog"

  /** Creates a builder for a sink that writes row by row.
    *
    * @param path   the directory of the finished files
    * @param format `text`, `json` or `csv`
    */
  def forRowFormat(path: String, format: String): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "format" -> format))

  /** Creates a builder for a sink that writes row by row with a custom encoder. */
  def forRowFormat(path: String, encoder: Encoder): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "format" -> UserObject.reference(encoder, "format")))

  /** Creates a builder for a sink that writes rows in blocks. As with row formats, parts stay open across
    * micro-batches.
    *
    * @param path   the directory of the finished files
    * @param format `parquet`, `orc`, `avro` or `sequencefile`
    */
  def forBulkFormat(path: String, format: String): FileSinkBuilder = forRowFormat(path, format)

  /** Creates a builder for a sink that writes rows in blocks with a custom bulk format. */
  def forBulkFormat(path: String, writers: BulkWriters): FileSinkBuilder =
    new FileSinkBuilder(Map("path" -> path, "format" -> UserObject.reference(writers, "format")))

  /** Creates a sink from options.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; the message lists all problems
    */
  def fromOptions(options: JMap[String, String]): FileSink = new FileSink(SinkOptions.parse(options))

  /** Runs [[FileSink.check]] with options that may be invalid. Invalid options are reported as problems. */
  def checkOf(rows: DataFrame, options: JMap[String, String]): Preflight = SinkCheck.ofOptions(rows, options)

  /** Returns the keys of all options. */
  def optionKeys(): JList[String] = SinkOptionRegistry.all.map(_.key).asJava

  /** Waits until the end of a query's run is handled, including open parts that must be finished.
    *
    * `awaitTermination` may return earlier, because Spark notifies only listeners of the end of a query.
    *
    * @param timeoutMillis the maximum time to wait, in milliseconds
    * @return the committed rows that readers do not see yet, if any. If the storage prevented the final
    *         steps, the driver's log contains the cause, and the next start finishes the parts. If the log
    *         cannot be read, the result is not in time and has no counts
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_NOT_A_STOPLOG_QUERY` for a query with another
    *   sink
    */
  def awaitFinished(query: StreamingQuery, timeoutMillis: Long): Finished = {
    val sink   = SinkOfQuery.of(query)
    val inTime = RunEnds.awaitWhole(query.runId.toString, timeoutMillis)
    try {
      val unseen = sink.unseen // after the wait
      Finished(inTime, unseen.parts, unseen.rows, unseen.bytes)
    } catch {
      case NonFatal(e) =>
        Log.warn(
          s"The open parts of query ${query.runId} cannot be counted, because its log cannot be read",
          e
        )
        Finished(inTime = false, 0, 0, 0)
    }
  }

  /** Rejects a query with another sink. Reads no storage, which may hang. For Python.
    *
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_NOT_A_STOPLOG_QUERY`
    */
  def refuseOther(query: StreamingQuery): Unit = { SinkOfQuery.of(query); () }

  /** Waits until the end of a run is handled, and returns whether the final steps were completed in time.
    * Open parts may remain.
    *
    * @param runId `query.runId`
    */
  private[stoplog] def awaitEnd(runId: String, timeoutMillis: Long): Boolean =
    RunEnds.await(runId, timeoutMillis)

  /** Returns the `StreamingQueryProgress.sink.metrics` of a completed run. The metrics include the work of
    * the sink after Spark's last progress event. Empty until [[awaitFinished]] returns.
    *
    * @param runId `query.runId`
    */
  def finalMetrics(runId: String): JMap[String, String] = RunEnds.finalMetrics(runId)

  /** Creates a batch command that compacts the small files of an existing directory, regardless of their
    * writer.
    *
    * No query may write to the files, and no table format may reference the files by name. Directories of
    * Delta Lake, Iceberg, Hudi or Spark's own streaming sink are rejected with `STOPLOG_FOREIGN_TABLE`. Files
    * that a stoplog sink may still compact are skipped.
    *
    * @param path    the directory, including all directories below it
    * @param options `format` if file names do not reveal the format, `header` for CSV, `lineSep` if lines do
    *                not end with a line feed, `compactTo`, `compactSmallerThan`, `compactMinFiles`,
    *                `compactor`, and the options of announcements
    */
  def compactDirectory(
      session: SparkSession,
      path: String,
      options: Map[String, String] = Map.empty
  ): DirectoryCompaction = new DirectoryCompaction(DirectoryCompactionJob(session, path, options))

  /** [[compactDirectory]] for Java and Python. */
  def compactDirectoryOf(
      session: SparkSession,
      path: String,
      options: JMap[String, String]
  ): DirectoryCompaction = compactDirectory(session, path, options.asScala.toMap)

  /** Returns the version of this jar. */
  def version(): String = JarVersions.core
}

/** The result of waiting for the end of a query.
  *
  * @param inTime    whether the query and its sink have ended in time, and no micro-batch was interrupted
  * @param openParts the number of parts that readers do not see yet. A part counts until it has its final
  *                  name
  * @param rows      the rows in these parts
  * @param bytes     the bytes of these parts
  */
final case class Finished(inTime: Boolean, openParts: Long, rows: Long, bytes: Long) {

  /** Returns whether no row of the query is left invisible. */
  def isComplete: Boolean = inTime && openParts == 0
}

/** Batch command that compacts the small files of a directory. See [[FileSink.compactDirectory]].
  *
  * {{{
  * val compaction = FileSink.compactDirectory(spark, "/data/old", Map("compactTo" -> "256m"))
  * compaction.plan().foreach(println) // changes nothing
  * compaction.run()
  * }}}
  */
final class DirectoryCompaction private[stoplog] (compactions: DirectoryCompactionJob) {

  /** Returns the compactions that [[run]] would perform now. Reads only. */
  def plan(): Seq[PlannedCompaction] = compactions.plan()

  /** Compacts the files. Returns the completed compactions, and the failed compactions with their `problem`.
    * Unreadable files stay unchanged, with a warning in the log.
    *
    * The next run completes the work of a killed run. Of two concurrent runs, one compacts each group; the
    * other skips the group.
    */
  def run(): Seq[PlannedCompaction] = compactions.run()

  /** [[plan]] for Java and Python. */
  def planAsList(): JList[PlannedCompaction] = plan().asJava

  /** [[run]] for Java and Python. */
  def runAsList(): JList[PlannedCompaction] = run().asJava
}
