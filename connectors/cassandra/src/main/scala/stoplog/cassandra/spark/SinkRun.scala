// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

import org.apache.spark.sql.connector.write.WriterCommitMessage

import stoplog.cassandra.{Retries, TableInfo}
import stoplog.cassandra.options.{CassandraOptions, WriteTimestamp}
import stoplog.cassandra.write.{EpochClock, InFlight, LeasedLedger, Written}
import stoplog.fault.{Faults, Step}
import stoplog.spark.QueryContext

/** What a streaming query's driver remembers from epoch to epoch. */
private[spark] final class SinkRun(
    table: TableInfo,
    options: CassandraOptions,
    faults: Faults = Faults.ofThisJvm
) {
  private var clock  = Option.empty[(String, EpochClock)]
  private var total  = Written.nothing
  private var epochs = 0L
  private var micros = 0L

  /** The time that the epoch's rows are written with, if that is where they have it from; it is durable on return. */
  def begin(queryId: String, context: QueryContext): Option[Long] = synchronized {
    options.write.timestamp match {
      case asked: WriteTimestamp.OfEpoch =>
        faults.at(Step.BeforeClaim)
        micros = clockOf(asked, queryId, context.runId).begin(context.batch)
        faults.at(Step.AfterClaim)
        Some(micros)
      case _ => None
    }
  }

  def committed(messages: Array[WriterCommitMessage]): Unit = synchronized {
    val written = messages.toSeq.collect { case message: WrittenMessage => message.written }
    for {
      (_, clock) <- clock
      latest     <- written.flatMap(_.latestMicros).maxOption
    } clock.used(latest)
    total = written.foldLeft(total)(SinkRun.sum)
    epochs += 1
  }

  /** `StreamingQueryProgress.sink.metrics`: what this run has done. All values are whole numbers. */
  def metrics: JMap[String, String] = synchronized {
    val all                                  = new JLinkedHashMap[String, String]()
    def put(name: String, value: Long): Unit = {
      all.put(name, value.toString)
      ()
    }
    put("writtenRows", total.rows)
    put("requests", total.counts.requests)
    put("retries", total.counts.retries)
    put("mostInFlight", total.counts.most.toLong)
    put("epochsCommitted", epochs)
    put("epochMicros", micros)
    all
  }

  // A table object can outlive a run: whoever starts a query twice from one writer has two runs.
  private def clockOf(asked: WriteTimestamp.OfEpoch, queryId: String, runId: String): EpochClock =
    clock.collect { case (`runId`, known) => known }.getOrElse {
      val made = new EpochClock(
        new LeasedLedger(options, asked),
        table.qualified,
        queryId,
        Retries(options.retryTimeoutMillis),
        SinkRun.nowMicros
      )
      clock = Some(runId -> made)
      made
    }
}

private[spark] object SinkRun {
  val nowMicros: () => Long = EpochClock.systemMicros

  private def sum(a: Written, b: Written): Written = Written(
    a.rows + b.rows,
    InFlight.Counts(
      a.counts.requests + b.counts.requests,
      a.counts.retries + b.counts.retries,
      a.counts.most.max(b.counts.most)
    ),
    None
  )
}
