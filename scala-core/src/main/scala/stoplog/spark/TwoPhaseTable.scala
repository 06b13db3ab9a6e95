// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.types.StructType

import stoplog.commit.{Ledger, RealTools, SinkIdentity}
import stoplog.commit.FollowUps
import stoplog.error.Redaction
import stoplog.options.SparkOptions
import stoplog.part.RunId
import stoplog.sink.TwoPhaseSink
import stoplog.storage.NoFiles

/** A write to a sink that commits in two phases: what a connector's provider answers with.
  *
  * Claims nothing before the first epoch; commits what an earlier run decided as soon as the query is started.
  *
  * @param rowSchema of the rows, as they are known before the first epoch
  * @param sink      for the columns that the rows have
  * @param settings  of the log
  */
private[stoplog] final class TwoPhaseTable private (
    rowSchema: StructType,
    val sink: StructType => TwoPhaseSink[InternalRow],
    val settings: TwoPhaseSettings
) extends SupportsWrite
    with ReportsSinkMetrics {
  private val current = new AtomicReference[TwoPhaseTable.Current]()

  override def name(): String = Redaction.text(s"stoplog ${sink(rowSchema).target} (${settings.sinkId})")

  override def schema(): StructType = rowSchema

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.STREAMING_WRITE,
    TableCapability.BATCH_WRITE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new SupportsStreamingUpdateAsAppend {
    override def build(): Write = new TwoPhaseWrite(TwoPhaseTable.this, info)
  }

  override def metrics(): JMap[String, String] = SinkMetrics.of(Option(current.get).map(_.run.stats))

  override def toString: String = name()

  /** The run that goes with a start of the query; made in its first epoch, because a start may still be refused. */
  def runOf(queryId: String, context: QueryContext, rows: StructType): TwoPhaseRun =
    runOf(context.runId)(TwoPhaseRun(queryId, context.trigger, sink(rows), settings))

  private def waitingRun(queryId: String, runId: String, trigger: QueryTrigger, seenSeq: Long): Unit =
    runOf(runId)(TwoPhaseRun(queryId, trigger, sink(rowSchema), settings)).sinkRun.waitFrom(seenSeq)

  private def runOf(runId: String)(start: => TwoPhaseRun): TwoPhaseRun = synchronized {
    Option(current.get).filter(_.runId == runId).map(_.twoPhase).getOrElse {
      val made = TwoPhaseTable.Current(runId, start)
      current.set(made)
      RunEnds.watch(runId, made.run)
      made.twoPhase
    }
  }

  private def republish(queryId: String)(newest: stoplog.log.LogRecord): Unit = {
    val committer = sink(rowSchema).committer()
    try
      new Ledger(
        RunId.random(), // which claims nothing
        SinkIdentity(settings.path, settings.sinkId, queryId),
        settings.storage.log,
        Ledger.Stores.of(committer),
        settings.onLost,
        FollowUps.none(settings.sinkId, NoFiles),
        RealTools.ofThisJvm
      ).recover(newest)
    finally committer.close()
  }
}

private[stoplog] object TwoPhaseTable {
  private final case class Current(runId: String, twoPhase: TwoPhaseRun) {
    def run: SinkRun = twoPhase.sinkRun
  }

  /** Carries out what an earlier run has decided, and claims nothing: the start may still be refused.
    *
    * @param properties as Spark has them, for what is the engine's business
    */
  def apply(
      schema: StructType,
      properties: JMap[String, String],
      sink: StructType => TwoPhaseSink[InternalRow],
      settings: TwoPhaseSettings
  ): TwoPhaseTable = {
    val asked = SparkOptions.caseless(properties)
    SparkOptions.refuseAsyncProgress(asked)
    val table = new TwoPhaseTable(schema, sink, settings)
    RunEnds.listenTo(SparkSession.active.sparkContext)
    if (settings.location.isDefined)
      EarlierRun
        .of(Option(asked.get("checkpointLocation")), settings.storage.log)(table.republish, table.waitingRun)
        .foreach { earlier =>
          earlier.republish()
          RunEnds.watchStart(earlier)
        }
    table
  }
}
