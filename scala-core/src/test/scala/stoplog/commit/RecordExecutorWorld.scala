// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.log._
import stoplog.part.Pending
import stoplog.sink.TwoPhaseCommitter
import stoplog.storage.{NewPart, NoFiles, PutOutcome, ReplacedFiles}
import stoplog.thread.{Clock, Parallel}

/** A [[RecordExecutor]] over stores in memory.
  *
  * @param marked runs after a marker is created
  * @param target commits the parts instead of the store
  */
private[commit] final class RecordExecutorWorld(
    onLost: LostPart = LostPart.Fail,
    tries: Int = 1,
    marked: () => Unit = () => (),
    finished: ReplacedFiles = ReplacedFiles.none,
    clock: Clock = Clock.system,
    target: Option[TwoPhaseCommitter] = None
) {
  val parts   = new MemoryParts
  val records = new MemoryRecords
  val pauses  = new java.util.concurrent.ConcurrentLinkedQueue[Long]()
  val log     = new CommitLog(records)

  private val stores: Ledger.Stores = target match {
    case Some(committer) => Ledger.Stores.of(new SinkKind("prepared"), log, committer)
    case None            => SinkStores.of(log, parts, replaced = finished)
  }

  val notes: MemoryNotes = new MemoryNotes {
    override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
      val made = super.createIfAbsent(path)(content)
      if (made == PutOutcome.Created) marked()
      made
    }
  }
  private val followUps = FollowUps.none("main", notes)
  private val tools     = DriverTools(
    clock,
    Faults.none,
    DriverLock.semaphore(),
    Parallel.sequential,
    StorageRetry.jittered(tries, baseMillis = 10, pauses.add(_))
  )
  val settling = new RecordExecutor(stores, identity, onLost, followUps, tools)

  /** Returns a new ledger of another run over the same log. */
  def ledger: Ledger = new Ledger(other, identity, stores, onLost, followUps, tools)

  /** Returns whether no other process was at it. */
  def publish(record: LogRecord): Boolean   = carriedOut(record).alone
  def republish(record: LogRecord): Boolean = settling.carryOutAgain(inLog(record)).alone

  def carriedOut(record: LogRecord): Settled = settling.carryOut(inLog(record))

  private def inLog(record: LogRecord): LogRecord = {
    records.putIfAbsent(record.seq, RecordCodec.encode(record))
    record
  }

  def closed(name: String, content: String = "row\n"): Pending = {
    val output = parts.create(NewPart("b", name, mine))
    output.write(content.getBytes, 0, content.length)
    done(name, token = output.finish().token, sizeBytes = content.length.toLong)
  }

  def record(publish: Pending*): LogRecord =
    LogRecord(
      4,
      RecordKind.Epoch(9),
      mine,
      0,
      publish.toVector,
      SinkState(QueryEpoch("q", Some(9)), Vector.empty, 0, Map.empty)
    )
}

/** Deletes nothing until it is up.
  *
  * @param hidesAtOnce false for a store where parts are uploads
  */
private[commit] final class UnreliableFinished(override val hidesAtOnce: Boolean = true)
    extends ReplacedFiles(NoFiles, "main") {
  var isUp                 = false
  var forgotten: Set[Long] = Set.empty
  var broughtBack          = Vector.empty[String]
  var broughtBackLate      = Vector.empty[String]

  override def sizeBytes(path: String): Option[Long] = None
  override def hide(seq: Long, path: String): Unit   = onHide()

  var onHide: () => Unit = () => ()

  /** By a reader, before they could be hidden. */
  var taken: Set[String] = Set.empty

  override def taken(seq: Long, paths: Seq[String]): Set[String] = paths.toSet.intersect(taken)

  override def restore(seq: Long, path: String): Unit = broughtBack :+= path
  override def keep(path: String, as: String): Unit   = ()

  override def restoreLate(seq: Long, path: String): Unit = broughtBackLate :+= path

  override def hiddenFor(): Vector[Long] = Vector.empty
  override def purge(seq: Long): Unit    =
    if (isUp) forgotten += seq else throw new IllegalStateException("the storage does not answer")
}
