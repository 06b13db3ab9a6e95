// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FileNotFoundException, InputStream}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.commit.EpochCheck
import stoplog.error.StoplogException
import stoplog.fault.{ConnectorSteps, Faults, Step}
import stoplog.format.bulk.WaitingRows
import stoplog.part.SpoolFile
import stoplog.sink._

/** The driver's half of the sink: it has chunks sent.
  *
  * @param send  carries one out, in any process
  * @param bound the places of this run
  * @param turns of the process
  */
private[wal] final class ChunkCommitter(
    send: (Chunk, SpoolFile) => CommitOutcome,
    committer: CheckpointCommitter,
    times: EpochTimes,
    place: LogPlace,
    bound: ChunkBounds,
    turns: ChunkCommitter.Turns
) extends TwoPhaseCommitter {
  private var forgotten = Map.empty[String, Long]
  private var begun     = Map.empty[String, DecidedEpoch]
  private val jobs      = ConcurrentHashMap.newKeySet[String]()

  /** Errors: `STOPLOG_WAL_NOTES_MOVED`, `STOPLOG_WAL_TARGET_CHANGED`, `STOPLOG_WAL_EPOCH_AHEAD`, `STOPLOG_WAL_NOT_SENT`. */
  override def commit(prepared: Prepared): CommitOutcome = {
    val token = ChunkToken.parse(prepared.token)
    token.decision.foreach(decision => bound.refuseOther(decision.places, place, prepared.name))
    val chunk   = chunkOf(prepared, token)
    val decided = DecidedEpoch(chunk.query, chunk.epochNumber, token.decision.fold("")(_.run))
    if (token.epoch.isDefined) begin(decided)
    val outcome = turns.oneAtATime(chunk) {
      val micros = times.of(chunk, decided)
      val done   = send(chunk.copy(time = chunk.time.copy(micros = micros)), token.file)
      if (done != CommitOutcome.Lost) place.files.discard(Seq(token.file.token))
      done
    }
    if (chunk.epoch.isDefined) forgetBefore(chunk) else jobs.add(chunk.query)
    outcome
  }

  /** Error: `STOPLOG_PATH_NOT_SHARED` when the driver does not see a chunk of a task, where a look costs no request. */
  override def refuseLost(tokens: Seq[String]): Unit =
    place.files.refuseUnseen(tokens.map(ChunkToken.parse(_).file.token))

  /** `STOPLOG_WAL_CHUNK_LOST` */
  override private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = {
    val first = ChunkToken.parse(gone.head.token)
    val count = WriteAheadErrors.Lost(gone.size, gone.map(_.rows).sum, committed)
    Some(WriteAheadErrors.chunkLost(place, first, count, bound.places.notes))
  }

  override def staged(): Vector[Staged] = place.files.staged()

  override def stagedOf(token: String): Set[String] = Set(ChunkToken.parse(token).file.token)

  /** Recovery names a file as [[staged]] does, and a batch query that failed by what its task has prepared. */
  override def abort(token: String): Unit =
    place.files.discard(Seq(ChunkToken.find(token).fold(token)(_.file.token)))

  /** A batch query is never repeated. If its notes cannot be removed now, they stay: its rows are there in any case. */
  override def close(): Unit =
    try jobs.asScala.foreach(job => Try(committer.forgetBefore(job, Long.MaxValue)))
    finally
      try committer.close()
      finally times.close()

  private def chunkOf(prepared: Prepared, token: ChunkToken): Chunk =
    Chunk(place.sinkId, token.query, prepared.name, token.epoch, token.partition, prepared.rows)
      .copy(time = EpochTime(startedAtMillis = token.startedAtMillis))

  /** The notes may be stored outside the log, and the log may be restored from an older copy. An epoch in the notes was sent.
    * After such a restore, Spark may plan the epoch again with other rows, or the log may decide it again with other chunks.
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

  /** A driver that commits an epoch has marked the records of all before it. */
  private def forgetBefore(chunk: Chunk): Unit = synchronized {
    if (forgotten.get(chunk.query).forall(_ < chunk.epochNumber)) {
      forgotten += chunk.query -> chunk.epochNumber
      committer.forgetBefore(chunk.query, chunk.epochNumber)
    }
  }
}

/** The places to which a run is bound.
  *
  * @param movedFrom the former destination of rows that have to be sent to this run's, if the target has moved
  */
private[wal] final case class ChunkBounds(places: ChunkPlaces, movedFrom: Option[String] = None) {

  /** Errors: `STOPLOG_WAL_NOTES_MOVED`, `STOPLOG_WAL_TARGET_CHANGED`. */
  def refuseOther(former: ChunkPlaces, log: LogPlace, chunk: String): Unit = {
    if (former.notes != places.notes)
      throw WriteAheadErrors.notesMoved(log, chunk, former.notes, places.notes)
    if (former.rows != places.rows && !movedFrom.contains(former.rows))
      throw WriteAheadErrors.targetChanged(log, chunk, former.rows, places.rows)
  }
}

private[wal] object ChunkCommitter {

  /** The end of a run tries once more to send what it could not, and the query may be started anew meanwhile: without this
    * both would find no note.
    */
  final class Turns {
    private val all = Array.fill(1024)(new Object)

    def oneAtATime[A](chunk: Chunk)(send: => A): A =
      all(Math.floorMod(chunk.name.hashCode, all.length)).synchronized(send)
  }

  val turnsOfThisJvm: Turns = new Turns

  /** Sends each chunk in a task of its own. What is decided is carried out: not in the query's group of jobs, which ends when
    * the query is stopped.
    */
  def inTask(context: SparkContext, chunks: ChunkSender)(chunk: Chunk, file: SpoolFile): CommitOutcome = {
    context.clearJobGroup()
    val done = context.parallelize(Seq(chunk -> file), 1).map { case (chunk, file) =>
      SendingTurn.await()
      chunks.send(chunk, file)
    }
    done.collect().head
  }
}

/** Sends chunks, on executors. Goes there.
  *
  * A note is written after the last row is acknowledged, and by the same process. What dies in between is sent again, unless
  * the target knows better, or writes the note together with the rows.
  *
  * @param faultsHere of the process that it is called in
  */
private[wal] final class ChunkSender(
    options: WriteAheadOptions,
    place: LogPlace,
    faultsHere: () => Faults
) extends Serializable {
  @transient private lazy val faults = faultsHere()

  /** Sends it unless that was done. Error: `STOPLOG_WAL_NOT_SENT`. */
  def send(chunk: Chunk, file: SpoolFile): CommitOutcome =
    try
      Using.resource(new ChunkFile(() => place.files.find(file))) { rows =>
        rows.note.fold(withoutRows(chunk))(note => send(chunk, rows, note.schema))
      }
    catch {
      case known: StoplogException => throw known
      case NonFatal(e) => throw WriteAheadErrors.notSent(options.sender.target(options.passed), chunk, e)
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
      case Arrival.Arrived =>
        noted(note)
        CommitOutcome.AlreadyCommitted
      case Arrival.Missing | Arrival.Unknown =>
        faults.at(WriteAheadStep.BeforeSend)
        if (!target.send(chunk, rows))
          throw new IllegalStateException("the sender answered that it did not send all rows")
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

/** A chunk's file. Used by one thread.
  *
  * @param open reads it from its beginning; `None` if it is gone
  */
private[wal] final class ChunkFile(open: () => Option[InputStream]) extends ChunkRows with AutoCloseable {
  private var current = Option.empty[InputStream]

  // The stream that was opened for the note serves the first iterator.
  private var unread = read()

  /** `None` if there is no such file. */
  val note: Option[ChunkNote] = unread.map { case (note, _) => ChunkNote.parse(note) }

  override private[wal] def requestRows: Option[Int] = note.flatMap(_.requestRows)

  override def iterator: Iterator[InternalRow] = {
    val (_, rows) =
      unread.orElse(read()).getOrElse(throw new FileNotFoundException("the chunk's file is gone"))
    unread = None
    rows
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

/** What a chunk's file says before the rows: it may be of a run whose columns and options were others.
  *
  * @param requestRows as in [[RowSender]]
  */
private[wal] final case class ChunkNote(schema: StructType, requestRows: Option[Int]) {

  /** `<requestRows><schema>`: the columns are an object of JSON, and release 0.1.0 has written them alone. */
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

/** The steps of a write-ahead sink that sends what is in its log, besides [[stoplog.fault.Step.ofSinks]]. */
private[stoplog] object WriteAheadStep {
  case object BeforeSend extends Step("beforeSend", "the record decides; a chunk in the log, none of it sent")
  case object AfterSend  extends Step("afterSend", "a chunk sent and acknowledged; no note of that")
  case object AfterNote  extends Step("afterNote", "a chunk sent and noted; it is still in the log")

  val all: Vector[Step] = Vector(BeforeSend, AfterSend, AfterNote)
}

/** Found by [[stoplog.fault.Step.all]]. */
final class WriteAheadSteps extends ConnectorSteps {
  override def all: Vector[Step] = WriteAheadStep.all
}
