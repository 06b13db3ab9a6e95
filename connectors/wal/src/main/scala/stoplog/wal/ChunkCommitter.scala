// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FileNotFoundException, InputStream}
import java.util.concurrent.{ConcurrentHashMap, ExecutionException, TimeUnit}
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.commit.EpochCheck
import stoplog.error.StoplogException
import stoplog.fault.{ConnectorSteps, Faults, Step}
import stoplog.format.bulk.WaitingRows
import stoplog.part.SpoolFile
import stoplog.sink._
import stoplog.thread.{Clock, StopSignal}

/** The driver's part of the sink: schedules the sending of chunks.
  *
  * @param send  sends a chunk, in any process
  * @param bound the places of this run
  * @param turns the locks of the process
  * @param stop  ends the waits of senders and committers if the query is stopped
  */
private[wal] final class ChunkCommitter(
    send: (Chunk, SpoolFile) => CommitOutcome,
    committer: CheckpointCommitter,
    times: EpochTimes,
    place: LogPlace,
    bound: ChunkBounds,
    turns: ChunkCommitter.ChunkLocks,
    stop: StopSignal = StopSignal.never
) extends TwoPhaseCommitter {
  private var forgotten = Map.empty[String, Long]
  private var begun     = Map.empty[String, DecidedEpoch]
  private val jobs      = ConcurrentHashMap.newKeySet[String]()

  /** Errors: `STOPLOG_WAL_TARGET_CHANGED`, `STOPLOG_EPOCH_AHEAD`,
    * `STOPLOG_REQUEST_FAILED`. If the query is stopped while a chunk waits: `ExecutionException`, which Spark
    * knows as the effect of a stop.
    */
  override def commit(prepared: Prepared): CommitOutcome = StopSignal.during(stop) {
    val token = ChunkToken.parse(prepared.token)
    bound.refuseOther(token.decision.places, place, prepared.name)
    val chunk = chunkOf(prepared, token)
    try commit(chunk, token)
    catch {
      case e: InterruptedException =>
        if (Try(committer.isCommitted(chunk)).getOrElse(false)) {
          // Otherwise, the note would be forgotten before the deletion of the file.
          place.files.discard(Seq(token.file.token))
          CommitOutcome.Committed
        } else
          throw new ExecutionException(
            s"The query was stopped before chunk ${chunk.name} was sent. The next start sends it.",
            e
          )
    }
  }

  private def commit(chunk: Chunk, token: ChunkToken): CommitOutcome = {
    val decided = DecidedEpoch(chunk.query, chunk.epochNumber, token.decision.run)
    if (token.epoch.isDefined) begin(decided)
    val outcome = turns.oneAtATime(chunk, stop) {
      val micros = times.of(chunk, decided)
      val done   = send(chunk.copy(time = chunk.time.copy(micros = micros)), token.file)
      if (done != CommitOutcome.Lost) place.files.discard(Seq(token.file.token))
      done
    }
    if (chunk.epoch.isDefined) forgetBefore(chunk) else jobs.add(chunk.query)
    outcome
  }

  /** Throws `STOPLOG_PATH_NOT_SHARED` if the driver does not see a task's chunk. Checked only if the check
    * needs no request.
    */
  override def refuseLost(tokens: Seq[String]): Unit =
    place.files.refuseUnseen(tokens.map(ChunkToken.parse(_).file.token))

  /** Returns `STOPLOG_ROWS_LOST`. */
  override private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = {
    val first = ChunkToken.parse(gone.head.token)
    val count = WriteAheadErrors.Lost(gone.size, gone.map(_.rows).sum, committed)
    Some(WriteAheadErrors.chunkLost(place, first, count, bound.places.notes))
  }

  /** Without the chunks that a batch query may still send. No record names these chunks, so their age alone
    * shows that the query has ended (P-15).
    */
  override def staged(): Vector[Staged] = {
    val running = Clock.system.millis() - ChunkCommitter.JobMillis
    place.files.staged().filterNot { file =>
      ChunkWriter.isOfJob(file.token) && (file.modifiedAtMillis == 0 || file.modifiedAtMillis >= running)
    }
  }

  override def stagedOf(token: String): Set[String] = Set(ChunkToken.parse(token).file.token)

  /** Deletes a chunk's file. Recovery passes a file name from [[staged]], a failed batch query a prepared
    * token.
    */
  override def abort(token: String): Unit =
    place.files.discard(Seq(ChunkToken.find(token).fold(token)(_.file.token)))

  /** Deletes the notes of batch queries, which are never repeated. If deletion fails, the notes remain: the
    * rows have arrived in any case.
    */
  override def close(): Unit =
    try jobs.asScala.foreach(job => Try(committer.forgetBefore(job, Long.MaxValue)))
    finally
      try committer.close()
      finally times.close()

  private def chunkOf(prepared: Prepared, token: ChunkToken): Chunk =
    Chunk(place.sinkId, token.query, prepared.name, token.epoch, token.partition, prepared.rows)
      .copy(time = EpochTime(startedAtMillis = token.startedAtMillis))

  /** Checks the epoch against the notes. The notes may be stored outside the log, and the log may be restored
    * from an older copy. The chunks of an epoch in the notes were sent. After such a restore, Spark may plan
    * the epoch again with other rows, or the log may decide the epoch again with other chunks.
    */
  private def begin(decided: DecidedEpoch): Unit = synchronized {
    if (!begun.get(decided.query).contains(decided)) {
      val errors = WriteAheadErrors.repeats(place, bound.places.notes, decided.query)
      committer
        .begin(decided)
        .foreach(noted => EpochCheck.notBehind(noted.asNewest, decided.epoch, decided.digest, errors))
      begun += decided.query -> decided
    }
  }

  /** A driver that commits an epoch has marked the records of all earlier epochs. */
  private def forgetBefore(chunk: Chunk): Unit = synchronized {
    if (forgotten.get(chunk.query).forall(_ < chunk.epochNumber)) {
      forgotten += chunk.query -> chunk.epochNumber
      committer.forgetBefore(chunk.query, chunk.epochNumber)
    }
  }
}

/** The places to which a run is bound.
  *
  * @param movedFrom the previous destination of a moved target, whose rows are sent to this run's target
  */
private[wal] final case class ChunkBounds(places: ChunkPlaces, movedFrom: Option[String] = None) {

  /** Rejects chunks with other places. Errors: `STOPLOG_WAL_TARGET_CHANGED`. */
  def refuseOther(recorded: ChunkPlaces, log: LogPlace, chunk: String): Unit = {
    if (recorded.notes != places.notes)
      throw WriteAheadErrors.notesMoved(log, chunk, recorded.notes, places.notes)
    if (recorded.rows != places.rows && !movedFrom.contains(recorded.rows))
      throw WriteAheadErrors.targetChanged(log, chunk, recorded.rows, places.rows)
  }
}

private[wal] object ChunkCommitter {

  /** Locks that serialize the sending of each chunk in a process. The end of a run retries unsent chunks,
    * while the restarted query may send the same chunks. Without a lock, neither would find a note.
    */
  final class ChunkLocks {
    private val all = Array.fill(1024)(new ReentrantLock)

    /** Error: `InterruptedException` if the query is stopped before its turn. */
    def oneAtATime[A](chunk: Chunk, stop: StopSignal)(send: => A): A = {
      val lock = all(Math.floorMod(chunk.name.hashCode, all.length))
      stop.waitUntil(Long.MaxValue)(lock.tryLock(_, TimeUnit.MILLISECONDS))
      try send
      finally lock.unlock()
    }
  }

  val chunkLocksOfThisJvm: ChunkLocks = new ChunkLocks

  // A batch query may send its chunks for days after the last write to their files.
  private final val JobMillis = 7 * 24 * 60 * 60 * 1000L

  /** Sends each chunk in a separate task. A decided chunk must be sent even if the query is stopped. So the
    * job does not belong to the query's job group, which Spark cancels at the stop.
    */
  def inTask(context: SparkContext, chunks: ChunkSender)(chunk: Chunk, file: SpoolFile): CommitOutcome = {
    context.clearJobGroup()
    val sending = context.parallelize(Seq(chunk -> file), 1).map { case (chunk, file) =>
      val task = TaskContext.get()
      val stop = new StopSignal {
        override def isStopped: Boolean = task.isInterrupted()
      }
      StopSignal.during(stop) {
        SendingTurn.await()
        chunks.send(chunk, file)
      }
    }
    SendingJob.run(sending, StopSignal.ofThisThread).head
  }
}

/** Sends chunks on executors. Serializable.
  *
  * The process that sends a chunk also writes its note, after the last row is acknowledged. If the process
  * dies in between, the chunk is sent again. Exceptions are targets that report the rows as present or write
  * the note together with the rows.
  *
  * @param faultsHere returns the faults of the process in which the function is called
  */
private[wal] final class ChunkSender(
    options: WriteAheadOptions,
    place: LogPlace,
    faultsHere: () => Faults
) extends Serializable {
  @transient private lazy val faults = faultsHere()

  /** Sends the chunk unless already sent. Error: `STOPLOG_REQUEST_FAILED`. */
  def send(chunk: Chunk, file: SpoolFile): CommitOutcome =
    try
      Using.resource(new ChunkFile(() => place.files.find(file), () => place.files.exists(file))) { rows =>
        rows.note.fold(withoutRows(chunk)) { note =>
          try send(chunk, rows, note.schema)
          catch { case NonFatal(_) if rows.isGone => withoutRows(chunk) }
        }
      }
    catch {
      case known: StoplogException => throw known
      case NonFatal(e)             =>
        throw WriteAheadErrors.notSent(options.sender.target(options.passed), chunk, options.redacted(e))
    }

  /** The process that has sent a chunk deletes its file. */
  private def withoutRows(chunk: Chunk): CommitOutcome =
    Using.resource(committer()) { committer =>
      if (committer.isCommitted(chunk)) CommitOutcome.AlreadyCommitted else CommitOutcome.Lost
    }

  private def send(chunk: Chunk, rows: ChunkRows, schema: StructType): CommitOutcome =
    Using.resource(options.sender.open(options.passed, schema)) {
      case noting: NotingTarget => send(chunk, rows, noting, note = () => ())
      case plain                =>
        Using.resource(committer()) { committer =>
          if (committer.isCommitted(chunk)) CommitOutcome.AlreadyCommitted
          else send(chunk, rows, plain, note = () => committer.commit(chunk))
        }
    }

  private def send(chunk: Chunk, rows: ChunkRows, target: RowTarget, note: () => Unit): CommitOutcome =
    target.has(chunk) match {
      case ArrivalStatus.Arrived =>
        noted(note)
        CommitOutcome.AlreadyCommitted
      case ArrivalStatus.Missing | ArrivalStatus.Unknown =>
        faults.at(WriteAheadStep.BeforeSend)
        if (!target.send(chunk, rows))
          throw new IllegalStateException("the sender reported that some rows were not sent")
        faults.at(WriteAheadStep.AfterSend)
        noted(note)
        CommitOutcome.Committed
    }

  private def noted(note: () => Unit): Unit = {
    note()
    faults.at(WriteAheadStep.AfterNote)
  }

  private def committer(): CheckpointCommitter = options.committers.open(options.passed, place)
}

/** The file of a chunk. Used by a single thread.
  *
  * @param open   opens the file at its start; returns `None` if the file is gone
  * @param exists returns false if the file is gone
  */
private[wal] final class ChunkFile(open: () => Option[InputStream], exists: () => Boolean)
    extends ChunkRows
    with AutoCloseable {
  private var current = Option.empty[InputStream]
  private var gone    = false

  // The stream opened for the note is reused by the first iterator.
  private var unread = read()

  /** `None` if the file does not exist. */
  val note: Option[ChunkNote] = unread.map { case (note, _) => ChunkNote.parse(note) }

  override private[wal] def requestRows: Option[Int] = note.flatMap(_.requestRows)

  /** Whether [[iterator]] has failed because the file is gone. */
  def isGone: Boolean = gone

  /** Checks that the file still exists. A sender has looked for the chunk's note before. The driver forgets a
    * note only after the deletion of the file, so a file that still exists proves that no note was forgotten.
    */
  override def iterator: Iterator[InternalRow] = {
    val rows = if (unread.isEmpty) read() else unread.filter(_ => exists())
    unread = None
    gone = rows.isEmpty
    rows.getOrElse(throw new FileNotFoundException("the chunk's file no longer exists"))._2
  }

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }

  private def read(): Option[(String, Iterator[InternalRow])] = {
    close()
    current = open()
    try current.map(WaitingRows.read(_)(ChunkNote.parse(_).schema))
    catch {
      case e: Throwable =>
        close()
        throw e
    }
  }
}

/** The header of a chunk's file before the rows. The file may be from a run with other columns and options.
  *
  * @param requestRows as in [[RowSender]]
  */
private[wal] final case class ChunkNote(schema: StructType, requestRows: Option[Int]) {

  /** Format: `<requestRows><schema>`, with or without a number. The schema is a JSON object. */
  def text: String = requestRows.fold("")(_.toString) + schema.json
}

private[wal] object ChunkNote {
  def of(options: WriteAheadOptions, schema: StructType): ChunkNote =
    ChunkNote(schema, options.sender.requestRows(options.passed))

  def parse(text: String): ChunkNote = {
    val (requestRows, columns) = text.span(_ != '{')
    ChunkNote(DataType.fromJson(columns).asInstanceOf[StructType], requestRows.toIntOption)
  }
}

/** The steps of a write-ahead sink that sends the chunks of its log, in addition to
  * [[stoplog.fault.Step.ofSinks]].
  */
private[stoplog] object WriteAheadStep {
  case object BeforeSend extends Step("beforeSend", "the record decides; a chunk in the log, none of it sent")
  case object AfterSend  extends Step("afterSend", "a chunk sent and acknowledged; not yet recorded as sent")
  case object AfterNote
      extends Step("afterNote", "a chunk sent and recorded as sent; the chunk is still in the log")

  val all: Vector[Step] = Vector(BeforeSend, AfterSend, AfterNote)
}

/** Used by [[stoplog.fault.Step.all]]. */
final class WriteAheadSteps extends ConnectorSteps {
  override def all: Vector[Step] = WriteAheadStep.all
}
