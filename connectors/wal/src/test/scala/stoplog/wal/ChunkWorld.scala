// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.nio.file.Files

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.options.LogOptions
import stoplog.part.RunId
import stoplog.sink.{BatchTimes, CommitOutcome, Prepared, WriterTask}
import stoplog.twophase.TwoPhaseSettings

/** A log on the local disk, and the sending of its chunks without a query. Needs an active session.
  *
  * @param options of the write, by which sender and committer are found
  */
final class ChunkWorld(options: Map[String, String], schema: StructType) {
  val at: String    = Files.createTempDirectory("wal").toString
  private val asked = WriteAheadOptions.parse(options)

  val place: LogPlace = new LogPlace(
    TwoPhaseSettings(LogOptions(Some(at), "main", ForeignQuery.Refuse, LostPart.Fail))
  )

  /** What a task has put into the log. */
  def prepared(
      rows: Seq[InternalRow],
      query: String = "query",
      epoch: Long = 7,
      partition: Int = 0
  ): Prepared = {
    val task =
      WriterTask(RunId(query), "main", Some(epoch), partition, 0, 0, BatchTimes(Some(1700000000123L), None))
    val writer = new ChunkWriter(schema, place, task, query)
    try {
      rows.foreach(writer.write)
      writer.prepare().head
    } finally writer.close()
  }

  def committers: CheckpointCommitters = asked.committers

  /** As a new start of the query sends it. */
  def send(prepared: Prepared, faults: Faults = Faults.none): CommitOutcome = {
    val token = ChunkToken.parse(prepared.token)
    val chunk = timed(chunkOf(prepared))
    new ChunkSender(asked, place, () => faults).send(chunk, token.file)
  }

  /** As a driver does before anything is sent: one at a time. */
  def start(): Unit = synchronized(asked.committers.prepare(asked.passed, place))

  private def timed(chunk: Chunk): Chunk = synchronized {
    start()
    val times = asked.sender.times(asked.passed)
    try chunk.copy(time = chunk.time.copy(micros = times.of(chunk)))
    finally times.close()
  }

  def committer(): CheckpointCommitter = asked.committers.open(asked.passed, place)

  def chunkOf(prepared: Prepared): Chunk = {
    val token = ChunkToken.parse(prepared.token)
    Chunk("main", token.query, prepared.name, token.epoch, token.partition, prepared.rows)
      .copy(time = EpochTime(startedAtMillis = token.startedAtMillis))
  }

  def discard(prepared: Prepared): Unit =
    place.files.discard(Seq(ChunkToken.parse(prepared.token).file.token))

  def kept: Int = place.files.staged().size
}

object ChunkWorld {

  def dying(step: Step): Faults = new Faults {
    override def at(now: Step): Unit = if (now == step) throw new InjectedFault(step)
  }
}
