package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors
import stoplog.options.SinkOptions

/** The sink of one write. Spark keeps this object for the whole run of a query, and nothing else of the sink's. */
private[spark] final class SinkTable(
    rowSchema: StructType,
    partitioned: Array[Transform],
    val options: SinkOptions,
    val storage: SinkStorage
) extends SupportsWrite
    with ReportsSinkMetrics {
  private val current = new AtomicReference[CurrentRun]()

  override def name(): String = s"stoplog ${storage.path} (${storage.sinkId})"

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
  def runOf(queryId: String, context: QueryContext, rows: StructType): CurrentRun = {
    val known = current.get
    if (known != null && known.runId == context.runId) known
    else {
      val sink = SinkSpec.of(options, rows, storage)
      val run  = new SinkRun(queryId, context.trigger, sink, options)
      val made = CurrentRun(context.runId, sink, run)
      current.set(made)
      RunEnds.watch(context.runId, run)
      made
    }
  }
}

/** What a table remembers from epoch to epoch. */
private[spark] final case class CurrentRun(runId: String, sink: SinkSpec, run: SinkRun)

private[spark] object SinkTable {

  /** Checks all that can be checked now, and claims nothing: the start may still be refused. */
  def apply(
      schema: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String]
  ): SinkTable = {
    val options = BatchPartitioning.merged(SinkOptions.parse(properties), partitioned)
    if (new CaseInsensitiveStringMap(properties).getBoolean("asyncProgressTrackingEnabled", false))
      throw Errors.asyncProgress()
    val storage = SinkStorage.of(options.path, options.sinkId, options.staging, options.durability)
    SinkSpec.of(options, schema, storage)
    RunEnds.listenTo(SparkSession.active.sparkContext)
    IdleQuery.of(options, storage, schema).foreach { case (queryId, idle) =>
      idle.republish()
      RunEnds.watchIdle(queryId, idle)
    }
    new SinkTable(schema, partitioned, options, storage)
  }
}
