// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

import stoplog.error.{Log, Redaction}
import stoplog.options.{SinkOptions, SparkOptions}
import stoplog.place.SinkStorage

/** The sink of one write. Spark keeps this object for the whole run of a query, and nothing else of the sink's. */
private[spark] final class SinkTable(
    rowSchema: StructType,
    partitioned: Array[Transform],
    val options: SinkOptions,
    val storage: SinkStorage
) extends SupportsWrite
    with ReportsSinkMetrics {
  private val current = new AtomicReference[CurrentRun]()

  override def name(): String = Redaction.text(s"stoplog ${storage.path} (${storage.sinkId})")

  override def schema(): StructType = rowSchema

  override def partitioning(): Array[Transform] = partitioned

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.STREAMING_WRITE,
    TableCapability.BATCH_WRITE,
    TableCapability.TRUNCATE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new SinkWriteBuilder(this, info)

  override def metrics(): JMap[String, String] = SinkMetrics.of(Option(current.get).map(_.run.stats))

  override def toString: String = name()

  /** The run that goes with a start of the query; made in its first epoch, because a start may still be refused. */
  def runOf(queryId: String, context: QueryContext, rows: StructType): CurrentRun =
    runOf(context.runId)(SinkRun.ofFiles(queryId, context.trigger, _, _), rows)

  /** The run of a query that has been started and has no epoch yet.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitingRun(queryId: String, runId: String, trigger: QueryTrigger, seenSeq: Long): Unit =
    runOf(runId)(SinkRun.ofFiles(queryId, trigger, _, _), rowSchema).run.waitFrom(seenSeq)

  private def runOf(runId: String)(start: (SinkSpec, SinkOptions) => SinkRun, rows: StructType): CurrentRun =
    synchronized {
      Option(current.get).filter(_.runId == runId).getOrElse {
        val newest = storage.log.newest()
        val asked  = RecordedPattern.resumed(options, newest)
        val sink   = SinkSpec.of(asked, rows, storage, newest.flatMap(RecordedColumns.of))
        (RecordedPattern.change(options, newest) ++ RecordedBuckets.change(options.buckets.bucketing, newest))
          .foreach(said => Log.warn(s"${name()}: $said"))
        val made =
          CurrentRun(runId, sink, start(sink, asked), LayoutNotice.of(this, sink, asked.buckets.bucketing))
        current.set(made)
        RunEnds.watch(runId, made.run)
        made
      }
    }
}

/** What a table remembers from epoch to epoch. */
private[spark] final case class CurrentRun(runId: String, sink: SinkSpec, run: SinkRun, layout: LayoutNotice)

private[spark] object SinkTable {

  /** Checks all that can be checked now, and claims nothing: the start may still be refused. */
  def apply(
      schema: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String]
  ): SinkTable = {
    val options = BatchPartitioning.merged(SinkOptions.parse(properties), partitioned)
    SparkOptions.refuseAsyncProgress(properties)
    val storage = storageOf(options)
    val sink    = SinkSpec.of(options, schema, storage, before = None)
    SinkFollowUps.rule(options, schema)
    RunEnds.listenTo(SparkSession.active.sparkContext)
    val table = new SinkTable(schema, partitioned, options, storage)
    EarlierRun.of(table).foreach { earlier =>
      earlier.newest.state.schema.foreach(sink.settings.schema.mayFollow)
      earlier.republish()
      RunEnds.watchStart(earlier)
    }
    table
  }

  /** Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_PATH_NOT_WRITABLE`. */
  def storageOf(options: SinkOptions): SinkStorage = SinkStorage.of(
    options.output.path,
    options.recovery.sinkId,
    options.parts.layout,
    options.recovery.storage.durability,
    options.recovery.storage.truncation,
    SparkHadoop.configuration
  )
}
