// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}

/** The store in which parts are written and published: one of the two traits that a storage has to implement.
  *
  * A store never decides. The commit protocol (`stoplog.commit`) calls each method at its time; a store only keeps the
  * promises written here, of which the laws suite tests each.
  *
  * To the driver a store is a committer of two phases as others are. It is more than that for parts that stay open from
  * epoch to epoch.
  */
trait PartStore extends TwoPhaseCommitter {

  /** Starts a new part under a name that no writer has used and no reader matches. */
  def create(part: NewPart): PartOutput

  /** Goes on at `validBytes` without the bytes behind. The caller holds the right to do so in place (I1); where the
    * store finds that it cannot, it goes on in a copy, and the output's handle says where.
    *
    * Error: `STOPLOG_PART_SHORT` when fewer bytes than that are there, or none at all.
    */
  def resume(open: Resume, validBytes: Long): PartOutput

  /** Goes on at `validBytes` in a place that no earlier writer can reach, whatever it still does (I1). */
  def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput

  /** Closes an open part at `validBytes` out of reach of a writer that may still be alive (I1). */
  def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    takeOver(open, validBytes, part).finish()

  /** The handle under which a record is to name an open part that is finished as it stands, by the run that owns it when
    * none of its attempts can write there any more. Called before the record is written.
    */
  def closed(open: Resume, validBytes: Long): Publish = open

  /** The handle under which a run that is about to claim the log names the part in its claim.
    *
    * For stores that let several writers add to one upload, each where the others do not: the claim is where a run's
    * place is noted before it writes there, and no two claims give the same. Touches nothing that is stored.
    */
  def claimed(open: Resume): Resume = open

  /** Makes the part visible under its final name: idempotent, from any process, never over anything else (I6), and but
    * once: if the finished part has been taken away since, it does not come back.
    *
    * @param part from [[closed]], [[isolate]] or [[PartOutput.finish]]
    * Errors: `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`.
    */
  def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome

  final override def commit(prepared: Prepared): CommitOutcome =
    publish(Closed(prepared.token), prepared.bytes, prepared.name)

  /** All unfinished parts and files, named in a record or not. */
  override def staged(): Vector[Staged]

  /** Deletes an unfinished part or file that no record names (I5: only recovery may call this). */
  def discard(token: String): Unit

  final override def abort(token: String): Unit = discard(token)

  /** Called before the sink's own directory is deleted with all that is in it: ends what is staged outside of it. */
  def beforeRemoval(): Unit = ()

  /** Announces, before the first byte, that a task of this run writes. The announcement stands until it is closed; an
    * operating-system lock, where there is one, also ends with the process. By default it announces nothing: for a storage
    * without locks that another process could ask for.
    */
  def enter(run: RunId): AutoCloseable = () => ()

  /** Throws if no process has announced itself for this run, as far as this one can see. Called by a task of a batch job
    * before its first byte: the driver of the job has announced itself, so the task does not see the driver's path. By
    * default it does nothing, for a storage that is the same for every process.
    */
  def refuseUnannounced(run: RunId): Unit = ()

  /** Throws if this store cannot keep its promises between this host and the driver's. Called by a task before its first
    * byte, after it has seen what the driver has written. By default it does nothing.
    */
  def refuseHost(): Unit = ()

  /** Whether a writer of a run that is over spoils nothing that a record names, however late it writes and whatever it knows of
    * the log: its bytes go where no other run's writer, and no publisher, has any. Then a task does not look before its first
    * byte whether there is a newer record (I1). By default it does.
    */
  def toleratesLateWriters: Boolean = false

  /** Whether no writer of another run can be alive; `false`, the default, when the store cannot tell. */
  def othersGone(run: RunId): Boolean = false

  /** Keeps writers of other runs from the open parts, as far as this store can: one answer for each of them.
    *
    * The driver calls it once its claim is in the log, for the parts as the claim names them. It must not change a byte
    * of a part, because a driver that slept since its claim may call it while a newer run writes. Tasks of older runs go
    * the other way round: they announce themselves first and look at the log then. So either they see the claim and stop,
    * or they are seen here (I1).
    */
  def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
    val outcome = if (open.nonEmpty && othersGone(run)) FenceOutcome.Owned else FenceOutcome.Doubtful
    open.map(_ => outcome)
  }
}

/** The right to a part that another run left open, or this one before it was sure of its writers. */
sealed trait FenceOutcome
object FenceOutcome {

  /** First attempts of the run may go on in place. */
  case object Owned extends FenceOutcome

  /** A writer that should be gone may still be alive: go on elsewhere, by [[PartStore.takeOver]]. */
  case object Doubtful extends FenceOutcome
}

/** The name that a part is to have.
  *
  * @param run the run that writes it; unfinished names carry it
  */
final case class NewPart(bucket: String, name: String, run: RunId)

/** The open end of a part. Not buffered, so hand over large pieces. Used by one thread at a time: the one that ends it
  * need not be the one that wrote, and the parts of a task are ended side by side.
  */
trait PartOutput {

  /** Bytes in the part up to here; also once it has been ended. */
  def position: Long

  /** The size from which on the part is to get no more rows, because the store limits what a part can have; it takes the rows
    * that wait for their block and are counted by then, and some more. May change as the part grows. By default the store sets no limit.
    */
  def mostBytes: Long = Long.MaxValue

  /** Appends. Error: `STOPLOG_STORE_WRITE`, for example on a full disk. */
  def write(bytes: Array[Byte], offset: Int, length: Int): Unit

  /** Makes `[0, position)` durable and closes; the part can be resumed from the handle.
    *
    * @param inRecordBytes so many of the bytes may be in the handle, and so in the record, rather than on the storage. Only
    *                      stoplog's storage of S3 is allowed any; others may ignore it
    */
  def persist(inRecordBytes: Int = 0): Resume

  /** Makes `[0, position)` durable and closes for good. */
  def finish(): Closed

  /** Gives the resources back and promises nothing. Deletes nothing (I5). Harmless after the other two. */
  def close(): Unit
}
