// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, LinkedHashMap => JLinkedHashMap, Map => JMap, Set => JSet, UUID}

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.checkpoint.CheckpointFiles
import stoplog.engine._
import stoplog.error.Described
import stoplog.filesink.WriterDistribution.BatchPartitioning
import stoplog.filesink.{ColumnOrder, FileEngineSink, WriteTarget}
import stoplog.options.{LogOptions, SinkOptions, SparkHadoop, SparkOptions}
import stoplog.sink.TwoPhaseSink
import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}

/** A sink as a table of Spark's DataSource V2. Spark keeps only this object for the whole run of a query, so
  * this object holds the state across epochs.
  *
  * @param checkpoint the checkpoint of the query, if set as an option
  * @param declared   the columns of a catalog table, whose `NOT NULL` constraints apply to its rows
  * @tparam M the message of a task to the driver
  */
private[stoplog] class SinkTable[M](
    val sink: EngineSink[StructType, InternalRow, M],
    private[spark] val checkpoint: Option[String] = None,
    partitioned: Array[Transform] = Array.empty,
    declared: Option[TableColumns] = None
) extends SupportsWrite
    with ReportsSinkMetrics
    with SinkOfQuery {
  private var current            = Option.empty[(String, EngineRun[InternalRow, M])]
  @volatile private var previous = Option.empty[RunEnds.EarlierRuns]

  override def name(): String = Described.as("stoplog")(sink.name)

  override def schema(): StructType = sink.columns

  override def properties(): JMap[String, String] =
    sink.dataset.fold(JMap.of[String, String]())(OpenLineage.properties)

  override def partitioning(): Array[Transform] = partitioned

  override def capabilities(): JSet[TableCapability] = {
    val all = JEnumSet.of(
      TableCapability.STREAMING_WRITE,
      TableCapability.BATCH_WRITE,
      TableCapability.ACCEPT_ANY_SCHEMA
    )
    if (sink.replacing != Replacing.Never) all.add(TableCapability.TRUNCATE)
    if (sink.replacing == Replacing.Partitions) all.addAll(SinkTable.OfPartitions)
    all
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = SinkWrite.SinkWriteBuilder(this, info)

  /** Called by Spark after each trigger, on the query's thread. For a query without data, this call is the
    * only notification to the sink.
    */
  override def metrics(): JMap[String, String] = {
    if (synchronized(current).isEmpty)
      for {
        earlier <- previous
        start   <- QueryContext.start()
      } RunEnds.attend(start, earlier)
    val run = synchronized(current)
    run.foreach { case (runId, of) => show(runId, of) }
    SinkTable.metrics(run.fold(sink.noCounts)(_._2.counts))
  }

  override def unseen: Unseen = sink.unseen

  override def toString: String = name()

  /** Returns the required values of rows with these columns. */
  private[spark] def required(rows: StructType): RequiredValues =
    declared.fold(new RequiredValues)(table => new RequiredValues(table.all, rows))

  /** Returns the conversion of a stream's rows.
    *
    * @param rows as the query has them
    */
  private[spark] def ofStream(rows: StructType): TableRows =
    declared.fold(TableRows.Unchanged)(_.ofStream(name(), rows))

  /** Returns the columns of a query's rows for all its epochs. If a source has no rows, Spark may consider a
    * column as never null in one epoch, and as nullable in the next epoch.
    */
  private[spark] def lasting(rows: StructType): StructType =
    if (DataType.equalsIgnoreNullability(sink.columns, rows)) sink.columns else rows

  /** Returns the run for a start of the query. Created in the first epoch, as the start may fail before.
    *
    * @param location the query's checkpoint, which may come from the session's settings
    */
  private[spark] def runOf(
      write: => EngineWrite[InternalRow, M],
      start: RunStart,
      location: Option[String]
  ): EngineRun[InternalRow, M] =
    synchronized {
      current.collect { case (start.runId, run) => run }.getOrElse {
        location.foreach(sink.checkpointedAt)
        val made = write.start(start)
        current = Some(start.runId -> made)
        RunEnds.listenTo(SparkSession.active.sparkContext)
        SinkTable.ledgerRun(made).foreach(RunEnds.watch(start, _))
        show(start.runId, made)
        made
      }
    }

  private def show(runId: String, run: EngineRun[InternalRow, M]): Unit =
    RunGauges.show(runId, "sink", name())(() => run.counts)

  /** Replaces the rows of a scope by nothing, as one job on the driver. */
  private[spark] def delete(scope: Scope): Unit = {
    val request = WriteRequest(sink.columns, UUID.randomUUID().toString, Existing.Replace(scope))
    val job     = sink.plan(request).job()
    try {
      job.begin(slots = 0): Unit
      job.commit(Nil)
    } catch {
      case NonFatal(e) =>
        try job.abort(Nil)
        catch { case NonFatal(later) => e.addSuppressed(later) }
        throw e
    }
  }

  /** Creates the run of a query that has started and has no epoch yet.
    *
    * @param seenSeq the newest record of an earlier run
    */
  private def wait(start: RunStart, seenSeq: Long): Unit =
    SinkTable
      .ledgerRun(
        runOf(sink.plan(WriteRequest(sink.columns, start.queryId, Existing.Keep)), start, checkpoint)
      )
      .foreach(_.waitFrom(seenSeq))
}

private[stoplog] object SinkTable {

  /** The capabilities of a table whose sink can replace single partitions. */
  private[spark] val OfPartitions: JSet[TableCapability] =
    JEnumSet.of(TableCapability.OVERWRITE_BY_FILTER, TableCapability.OVERWRITE_DYNAMIC)

  /** Creates the table of a write to files. */
  def ofFiles(
      schema: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String],
      declared: Option[TableColumns] = None
  ): SinkTable[_] = {
    val options = BatchPartitioning.merged(SinkOptions.parse(properties), partitioned)
    SparkOptions.refuseAsyncProgress(properties)
    val storage = FileEngineSink.storageOf(options)
    val target  = declared.fold[WriteTarget](WriteTarget.Path) { table =>
      WriteTarget.Table(
        if (table.known == TableColumns.KnownBy.Place) ColumnOrder.Requested else ColumnOrder.Recorded,
        BatchPartitioning.columns(partitioned)
      )
    }
    resumed(
      FileEngineSink(schema, options, storage, target),
      options.checkpointLocation,
      partitioned,
      declared
    )
  }

  /** Creates the table of a write to a sink with two-phase commits, such as a connector's sink.
    *
    * @param properties the checkpoint and progress tracking, as set in Spark
    * @param sink       creates the sink for rows of these columns
    */
  def twoPhase(schema: StructType, log: LogOptions, properties: JMap[String, String])(
      sink: StructType => TwoPhaseSink[InternalRow]
  ): SinkTable[_] = {
    SparkOptions.refuseAsyncProgress(properties)
    resumed(
      new TwoPhaseEngineSink(schema, sink, TwoPhaseSettings(log)),
      Option(SparkOptions.caseless(properties).get("checkpointLocation"))
    )
  }

  /** Creates the table of a write to a user-defined sink, if the option `sink` is set. */
  def ofUser(schema: StructType, properties: JMap[String, String]): Option[SinkTable[_]] =
    LogOptions.userSink(properties).map { case (sink, log) =>
      val options = SparkOptions.caseless(properties)
      twoPhase(schema, log, properties)(sink.open(options, _))
    }

  /** Executes decisions of the query's earlier runs. Claims nothing, because the start may still fail. */
  private def resumed[M](
      sink: EngineSink[StructType, InternalRow, M],
      checkpoint: Option[String],
      partitioned: Array[Transform] = Array.empty,
      declared: Option[TableColumns] = None
  ): SinkTable[M] = {
    checkpoint.foreach(sink.checkpointedAt)
    RunEnds.listenTo(SparkSession.active.sparkContext)
    val table = new SinkTable(sink, checkpoint, partitioned, declared)
    table.previous = for {
      queryId <- CheckpointFiles.queryId(checkpoint, SparkHadoop.configuration)
      unended = RunEnds.runsOf(queryId) // before the log is read
      newest <- sink.resume(queryId)
    } yield new RunEnds.EarlierRuns(newest, unended, () => sink.resume(queryId), table.wait)
    table
  }

  /** Returns the run if the commit protocol decides its epochs. Such a run also works between epochs. */
  private def ledgerRun(run: AnyRef): Option[LedgerRun[_]] = run match {
    case found: LedgerRun[_] => Some(found)
    case _                   => None
  }

  /** Returns the `StreamingQueryProgress.sink.metrics`. All values are whole numbers. */
  private[spark] def metrics(counts: Seq[(String, Long)]): JMap[String, String] = {
    val metrics = new JLinkedHashMap[String, String]()
    counts.foreach { case (name, value) => metrics.put(name, value.toString) }
    metrics
  }
}
