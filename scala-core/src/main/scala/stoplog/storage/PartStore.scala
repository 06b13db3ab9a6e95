// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, StagedOutput}

/** The store in which parts are written and published. One of the two traits that a storage has to implement.
  *
  * A store makes no decisions. The commit protocol (`stoplog.commit`) calls each method at the right time. A
  * store only has to keep the contracts in this file; the laws suite tests each contract.
  *
  * The staged output of a store consists of all unfinished parts and files, with or without a record. The
  * tokens are the tokens of the handles.
  */
trait PartStore extends StagedOutput {

  /** Starts a new part under a name that no writer has used and no reader matches. */
  def create(part: NewPart): PartOutput

  /** Resumes a part at `validBytes` and drops all later bytes. The caller MUST have the right to write in
    * place (I1). If the store cannot resume in place, the store continues in a copy, and the output's handle
    * names the copy.
    *
    * Error: `STOPLOG_PART_SHORT` if the part has fewer than `validBytes` bytes, or does not exist.
    */
  def resume(open: Resume, validBytes: Long): PartOutput

  /** Continues at `validBytes` in a place that no earlier writer can reach at any time (I1). */
  def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput

  /** Closes an open part at `validBytes`, out of reach of writers that may still be alive (I1). */
  def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    takeOver(open, validBytes, part).finish()

  /** Returns the handle by which a record names an open part that is finished without further bytes. Called
    * by the run that owns the part, when none of its attempts can write to the part any more. Called before
    * the record is written.
    */
  def closed(open: Resume, validBytes: Long): Publish = open

  /** Returns the handle by which a run names the part in its claim, before the run claims the log.
    *
    * For stores with several writers per upload, each in a separate range. The claim records the range of a
    * run before the run writes there, and no two claims contain the same range. MUST NOT change stored data.
    */
  def claimed(open: Resume): Resume = open

  /** Makes the part visible under its final name. The method is idempotent and may be called by any process.
    * It MUST NOT replace another file (I6). It publishes only once: if the finished part has been deleted
    * since, the part does not reappear.
    *
    * @param part from [[closed]], [[isolate]] or [[PartOutput.finish]]
    * Errors: `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`.
    */
  def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome

  /** Whether bytes of an open part are known to be lost, although all its output is still in [[staged]].
    * Called by a run after its claim, if the user chose to continue without lost parts. MUST NOT change
    * stored data. By default false, for stores whose parts are exactly the staged output.
    */
  def isLost(open: Resume): Boolean = false

  /** Deletes an unfinished part or file that no record names (I5: only recovery may call this method). */
  def discard(token: String): Unit

  /** Cleans up staged data outside the sink's directory. Called before the deletion of the directory. */
  def beforeRemoval(): Unit = ()

  /** Announces, before the first byte, that a task of this run writes. The announcement ends when it is
    * closed. If the announcement is an operating-system lock, it also ends with the process. By default
    * nothing is announced, for storages without locks that another process could check.
    */
  def enter(run: RunId): AutoCloseable = () => ()

  /** Throws if no process is announced for this run, as seen by this process. Called by a task of a batch job
    * before its first byte. The driver of the job has announced itself. If the task sees no announcement, the
    * task does not see the driver's path. By default does nothing, for storages shared by all processes.
    */
  def refuseUnannounced(run: RunId): Unit = ()

  /** Throws if this store cannot keep its contracts between this host and the driver's host. Called by a task
    * before its first byte, after the task has seen the driver's files. By default does nothing.
    */
  def refuseHost(): Unit = ()

  /** Whether a late writer of an ended run cannot damage the data of any record. True if the writer stores
    * bytes apart from the writers of all other runs, and from all publishers. If true, a task does not check
    * for a newer record before the first byte (I1). The default is false.
    */
  def toleratesLateWriters: Boolean = false

  /** Whether no writer of another run can be alive. The default `false` means: unknown to the store. */
  def othersGone(run: RunId): Boolean = false

  /** Blocks writers of other runs from the open parts, as far as this store can. Returns one outcome for each
    * part.
    *
    * A run calls the method for parts of its claim, before it writes to a part for the first time: tasks
    * before the first row of a part, and the driver before it closes a part. The log has the claim by then.
    * Tasks call the method at the same time, and again in later epochs. Other runs are all runs but `run`,
    * also runs that do not own the part. The method MUST NOT change a byte of a part, because a delayed
    * process may call the method while a newer run writes.
    *
    * Tasks of older runs use the reverse order: they announce themselves first and read the log afterwards.
    * So either the tasks see the claim and stop, or this method sees the tasks (I1).
    */
  def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
    val outcome = if (open.nonEmpty && othersGone(run)) FenceOutcome.Owned else FenceOutcome.Doubtful
    open.map(_ => outcome)
  }

  /** Calls [[fence]], and returns the parts with `run` as owner, or without an owner. */
  private[stoplog] final def fenced(run: RunId, open: Vector[Open]): Vector[Open] =
    open.zip(fence(run, open)).map {
      case (part, FenceOutcome.Owned)    => part.ownedBy(Some(run))
      case (part, FenceOutcome.Doubtful) => part.ownedBy(None)
    }
}

/** The right to a part that another run left open, or this run while its own writers were uncertain. */
sealed trait FenceOutcome
object FenceOutcome {

  /** First attempts of the run may resume in place. */
  case object Owned extends FenceOutcome

  /** A writer of an ended run may still be alive. Continue elsewhere, by [[PartStore.takeOver]]. */
  case object Doubtful extends FenceOutcome
}

/** The name for a new part.
  *
  * @param run the run that writes the part; unfinished names contain the run's id
  */
final case class NewPart(bucket: String, name: String, run: RunId)

/** The open end of a part. Not buffered, so callers should write large blocks. Used by one thread at a time.
  * The thread that ends the part may differ from the thread that wrote, and the parts of a task are ended in
  * parallel.
  */
trait PartOutput {

  /** Returns the number of bytes in the part; also valid after the part has ended. */
  def position: Long

  /** Returns the size from which the part MUST NOT receive further rows, because the store limits the size of
    * a part. The store still accepts the counted rows that wait for their block, and some more. The limit may
    * change as the part grows. By default there is no limit.
    */
  def mostBytes: Long = Long.MaxValue

  /** Appends bytes. Error: `STOPLOG_STORE_WRITE`, for example on a full disk. */
  def write(bytes: Array[Byte], offset: Int, length: Int): Unit

  /** Makes `[0, position)` durable and closes. The part can be resumed from the handle.
    *
    * @param inRecordBytes the number of bytes that may be in the handle, and so in the record, instead of on
    *                      the storage. Only stoplog's S3 storage receives more than 0; other stores may
    *                      ignore it
    */
  def persist(inRecordBytes: Int = 0): Resume

  /** Makes `[0, position)` durable and closes the part permanently. */
  def finish(): Closed

  /** Releases the resources, without any guarantee. Deletes nothing (I5). Harmless after the other two. */
  def close(): Unit
}
