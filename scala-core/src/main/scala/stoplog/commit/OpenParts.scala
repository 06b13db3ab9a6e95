// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.Using

import stoplog.error.Log
import stoplog.fault.Step
import stoplog.log.SinkState
import stoplog.part.{Open, Pending, RunId}
import stoplog.storage.NewPart
import stoplog.writing.{OpenPartWriter, PartFormat, TaskWriter}

/** The driver's handling of parts that stay open from epoch to epoch. */
private[commit] trait OpenParts {

  /** Returns the state for a claim of this run. Changes nothing on storage. Afterwards no part is doubtful:
    * attempts of earlier runs are kept from a part when this run first needs the part.
    *
    * @param before the run of the newest record
    */
  def claimed(state: SinkState, before: Option[RunId]): SinkState

  /** Returns the state without parts that are lost, if the user chose to continue without these parts. */
  def withoutLost(state: SinkState): SinkState

  /** Keeps writers of earlier runs from the parts, and returns the parts with this run as owner, or none.
    * Changes no part, so after an error the call may be repeated.
    *
    * @param newestSeq the newest record known to the driver
    */
  def fenced(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): OpenParts.Fenced

  /** Closes the parts at the length of their last committed epoch.
    *
    * @param newestSeq the newest record known to the driver
    */
  def close(due: OpenParts.Fenced, newestSeq: Long): Vector[Pending]

  /** [[fenced]], then [[close]]. */
  final def fencedAndClosed(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending] =
    close(fenced(due, newestSeq), newestSeq)

  /** Deletes spool files without a reference in the newest record, since recovery reads no older record. */
  def drop(unneeded: Set[String]): Unit
}

private[commit] object OpenParts {

  /** Parts to close, whose owner is this run or none. */
  final class Fenced private[OpenParts] (private[OpenParts] val due: Vector[EpochOutcome.PartToClose])

  /** The parts of a sink whose epochs leave no part open. */
  object Never extends OpenParts {
    override def claimed(state: SinkState, before: Option[RunId]): SinkState = state
    override def withoutLost(state: SinkState): SinkState                    = state

    override def fenced(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Fenced = {
      require(due.isEmpty, s"this sink leaves no part open, and cannot close ${due.map(_.part.name)}")
      new Fenced(due)
    }

    override def close(due: Fenced, newestSeq: Long): Vector[Pending] = Vector.empty

    override def drop(unneeded: Set[String]): Unit = ()
  }

  /** The parts in the store of a file sink.
    *
    * @param format   creates the format that writes the missing rows of a part, in whichever format the part
    *                 started
    * @param mayWrite called while the lease of a writer is held; throws if the log has a record newer than
    *                 this number
    */
  final class Stored(
      run: RunId,
      stores: SinkStores,
      format: () => PartFormat[_],
      onLost: LostPart,
      mayWrite: Long => Unit,
      tools: DriverTools
  ) extends OpenParts {
    import stores.{parts, spoolFiles}
    import tools.{clock, faults, parallel, retry}

    override def claimed(state: SinkState, before: Option[RunId]): SinkState = {
      val now     = clock.millis()
      val earlier = before.filter(_ != run) // doubts of this run itself remain
      state.copy(open = state.open.map { part =>
        val handle = parts.claimed(part.handle)
        val moved  = if (handle == part.handle) part else part.copy(handle = handle)
        moved.ownedBy(part.owner.orElse(earlier)).by(now)
      })
    }

    /** Copies of all parts are no solution for an outage, so nothing is closed without a response from the
      * storage. Error: `STOPLOG_STORE_WRITE`.
      */
    override def fenced(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Fenced = {
      val (foreign, known) = due.partition(_.part.owner.exists(_ != run))
      if (foreign.isEmpty) new Fenced(due)
      else {
        mayWrite(newestSeq) // the look of a fenced driver would end the leases of a newer run
        val fenced = retry(() => parts.fenced(run, foreign.map(_.part)))
        new Fenced(known ++ foreign.zip(fenced).map { case (due, part) => due.copy(part = part) })
      }
    }

    /** Closes a part of this run in place if no attempt can still reach the part. The bytes of other parts
      * are first moved out of the reach of a writer that may still be alive (I1).
      */
    override def close(due: Fenced, newestSeq: Long): Vector[Pending] = {
      val (unwritten, whole) = due.due.partition(!_.part.spooled.isEmpty)
      inTurn(whole)(unchanged) ++ written(unwritten, newestSeq)
    }

    override def drop(unneeded: Set[String]): Unit = if (unneeded.nonEmpty) {
      Log.tolerating("Spool files could not be removed; a later sweep removes the files") {
        spoolFiles.discard(unneeded.toVector)
      }
      faults.at(Step.AfterDrop)
    }

    /** Keeps lost parts unless the user chose otherwise: the task of such a part fails. Asks for the bytes of
      * each part after the listing, because the files of a part may outlive the bytes (P-145).
      */
    override def withoutLost(state: SinkState): SinkState = onLost match {
      case LostPart.Fail => state
      case LostPart.Skip =>
        val staged  = if (state.open.isEmpty) Set.empty[String] else parts.staged().map(_.token).toSet
        val spooled =
          if (state.spoolFiles.isEmpty) Set.empty[String] else spoolFiles.staged().map(_.token).toSet
        val whole = parallel.map(state.open) { part =>
          parts.stagedOf(part.handle.token).subsetOf(staged) &&
          part.spooled.files.forall(file => spooled(file.token)) && !parts.isLost(part.handle)
        }
        val (there, gone) = state.open.zip(whole).partition(_._2)
        gone.foreach { case (part, _) =>
          Log.warn(
            s"Continuing without the ${part.records} rows of ${part.handle.brief}, because onLostPart is skip"
          )
        }
        state.copy(open = there.map(_._1))
    }

    private def unchanged(due: EpochOutcome.PartToClose): Pending = {
      val part   = due.part
      val handle =
        if (isOurs(part)) parts.closed(part.handle, part.validBytes)
        else parts.isolate(part.handle, part.validBytes, newPart(part))
      Pending.of(part, handle, due.reason)
    }

    /** Follows the order of a task: announces itself, then looks for a newer run (I1). */
    private def written(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending] =
      if (due.isEmpty) Vector.empty
      else
        Using.resource(parts.enter(run)) { _ =>
          mayWrite(newestSeq)
          inTurn(due)(ended)
        }

    /** Closes large parts a few at a time, as memory and processors allow; all others like usual requests. */
    private def inTurn(
        due: Vector[EpochOutcome.PartToClose]
    )(close: EpochOutcome.PartToClose => Pending): Vector[Pending] = {
      val (large, small) = due.partition(workBytes(_) > SmallBytes)
      val runtime        = Runtime.getRuntime
      val concurrent     =
        atOnce(large.map(_.part.spooled.storageBytes), runtime.maxMemory, runtime.availableProcessors)
      parallel.map(small)(close).toVector ++ parallel.mapWork(large, concurrent)(close)
    }

    /** Returns the bytes to write: spooled rows, or bytes of a part that another attempt may still reach. */
    private def workBytes(due: EpochOutcome.PartToClose): Long =
      due.part.spooled.storageBytes.max(if (isOurs(due.part)) 0 else due.part.validBytes)

    private def ended(due: EpochOutcome.PartToClose): Pending = {
      val part   = due.part
      def writer = OpenPartWriter.resume(part, format(), TaskWriter.Times[Any]()) { () =>
        if (isOurs(part)) parts.resume(part.handle, part.validBytes)
        else parts.takeOver(part.handle, part.validBytes, newPart(part))
      }
      Using.resource(writer) { writer =>
        writer.complete()
        val closed  = writer.finish(due.reason)
        val pending = closed.copy(rows = closed.rows.copy(schema = part.schema))
        faults.at(Step.PartEnded)
        pending
      }
    }

    private def isOurs(part: Open): Boolean = part.owner.contains(run)

    private def newPart(part: Open): NewPart = NewPart(part.bucket, part.name, run)
  }

  /** Bytes. Only a few parts above this size are closed at a time: their rows need the memory of a block. */
  private val SmallBytes = 4L << 20

  /** Returns how many parts are closed at a time, given the bytes of their rows on storage. The result is at
    * least one, and at most one per processor, while the blocks fit into a quarter of the heap.
    */
  def atOnce(storageBytes: Seq[Long], heapBytes: Long, processors: Int): Int =
    (heapBytes / HeapShare / (storageBytes.maxOption.getOrElse(0L) * BlockPerByte).max(1))
      .max(1L)
      .min(processors.toLong)
      .toInt

  private val HeapShare = 4L

  /** Measured: a row group in memory has 1.1 bytes per byte on storage, since its pages are compressed. The
    * remainder covers errors of the estimate.
    */
  private val BlockPerByte = 2L
}
