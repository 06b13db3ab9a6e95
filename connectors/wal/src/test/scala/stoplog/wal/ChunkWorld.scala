// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.engine.{Existing, SinkWriterFactory, TaskAttempt, WriteRequest}
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.laws.Copied
import stoplog.options.LogOptions
import stoplog.part.RunId
import stoplog.plan.TaskResult
import stoplog.sink.{BatchTimes, CommitOutcome, Prepared, WriterTask}
import stoplog.spark.SinkTable
import stoplog.twophase.TwoPhaseSettings

/** A log on the local disk, and the sending of its chunks without a query. Needs an active session.
  *
  * @param options of the write, by which sender and committer are found
  * @param at      the directory of the log
  */
final class ChunkWorld(options: Map[String, String], schema: StructType, val at: String) {

  def this(options: Map[String, String], schema: StructType) =
    this(options, schema, Files.createTempDirectory("wal").toString)

  private val asked = WriteAheadOptions.parse(options)

  val place: LogPlace = new LogPlace(
    TwoPhaseSettings(LogOptions(Some(at), "main", ForeignQuery.Refuse, LostPart.Fail)).storage
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
    written(new ChunkWriter(ChunkNote.of(asked, schema), place, task, query, asked.places, _ => 1L), rows)
  }

  /** What the sink's tasks put into the log and send, as executors do it: with copies, and without a session. */
  def sentByExecutors(rows: Seq[InternalRow]): CommitOutcome = {
    start()
    val tasks    = Copied(writers(new WriteAheadProvider))
    val sends    = Copied(new ChunkSender(asked, place, () => Faults.none))
    val prepared = ChunkWorld.withoutSession {
      val writer = tasks.writer(TaskAttempt(epoch = None, 0, 0, 0)).get
      rows.foreach(writer.write)
      val part = writer.commit().closed.head
      writer.close()
      Prepared(part.name, part.handle.token, part.records, part.sizeBytes)
    }
    val chunk = timed(prepared) // by the driver
    ChunkWorld.withoutSession(sends.send(chunk, ChunkToken.parse(prepared.token).file))
  }

  private def writers(provider: WriteAheadProvider): SinkWriterFactory[InternalRow, TaskResult] =
    provider
      .getTable(schema, Array.empty, (options + ("logLocation" -> at)).asJava)
      .asInstanceOf[SinkTable[TaskResult]]
      .sink
      .plan(WriteRequest(schema, "job", Existing.Keep))
      .job()
      .begin(slots = 1)

  private def written(writer: ChunkWriter, rows: Seq[InternalRow]): Prepared =
    try {
      rows.foreach(writer.write)
      writer.prepare().head
    } finally writer.close()

  def committers: CheckpointCommitters = asked.committers

  /** As a new start of the query sends it.
    *
    * @param more options of that start
    */
  def send(
      prepared: Prepared,
      faults: Faults = Faults.none,
      more: Map[String, String] = Map.empty
  ): CommitOutcome = {
    val token = ChunkToken.parse(prepared.token)
    val chunk = timed(prepared)
    new ChunkSender(WriteAheadOptions.parse(options ++ more), place, () => faults).send(chunk, token.file)
  }

  /** As a driver does before anything is sent: one at a time. */
  def start(): Unit = synchronized(asked.committers.prepare(asked.passed, place))

  private def timed(prepared: Prepared): Chunk = synchronized {
    start()
    val chunk   = chunkOf(prepared)
    val decided =
      DecidedEpoch(chunk.query, chunk.epochNumber, ChunkToken.parse(prepared.token).decision.run)
    val times = asked.sender.times(asked.passed)
    try chunk.copy(time = chunk.time.copy(micros = times.of(chunk, decided)))
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

  /** As on an executor. */
  def withoutSession[A](work: => A): A = {
    val (active, default) = (SparkSession.getActiveSession, SparkSession.getDefaultSession)
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try work
    finally {
      active.foreach(SparkSession.setActiveSession)
      default.foreach(SparkSession.setDefaultSession)
    }
  }

  def dying(step: Step): Faults = new Faults {
    override def at(now: Step): Unit = if (now == step) throw new InjectedFault(step)
  }
}
