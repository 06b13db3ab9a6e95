// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.Using

import stoplog.error.Log
import stoplog.fault.Step
import stoplog.log.SinkState
import stoplog.part.{Open, Pending, RunId}
import stoplog.storage.{FenceOutcome, NewPart}

/** The driver's part in keeping parts open from epoch to epoch. */
private[commit] trait OpenParts {

  /** The state as a claim is to name it. Touches nothing that is stored. */
  def claimed(state: SinkState): SinkState

  /** The state with each open part as the run may go on with it. Must be called after the claim (I1). */
  def recovered(state: SinkState): SinkState

  /** The parts, closed where their last committed epoch left them.
    *
    * @param newestSeq the newest record that the driver knows
    */
  def close(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending]

  /** Deletes spool files that the newest record no longer references; recovery never starts from an older record. */
  def drop(unneeded: Set[String]): Unit
}

private[commit] object OpenParts {

  /** Of a sink whose epochs leave nothing open. */
  object Never extends OpenParts {
    override def claimed(state: SinkState): SinkState   = state
    override def recovered(state: SinkState): SinkState = state

    override def close(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending] = {
      require(due.isEmpty, s"this sink leaves no part open, and cannot close ${due.map(_.part.name)}")
      Vector.empty
    }

    override def drop(unneeded: Set[String]): Unit = ()
  }

  /** In the store of a sink's files.
    *
    * @param format   makes the format, whichever a part was begun in, that writes the rows which the part still lacks
    * @param mayWrite called with the lease of a writer held: throws if the log has a newer record than this one
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

    override def claimed(state: SinkState): SinkState = {
      val now = clock.millis()
      state.copy(open = state.open.map(part => part.copy(handle = parts.claimed(part.handle)).by(now)))
    }

    /** Error: `STOPLOG_STORE_WRITE`: without an answer the run goes on with no part, since copying all parts is no
      * answer to an outage.
      */
    override def recovered(state: SinkState): SinkState = {
      val there    = withoutLost(state)
      val outcomes = if (there.open.isEmpty) Vector.empty else retry(() => parts.fence(run, there.open))
      there.copy(open = there.open.zip(outcomes).map {
        case (part, FenceOutcome.Owned)    => part.copy(owner = Some(run))
        case (part, FenceOutcome.Doubtful) => part
      })
    }

    /** A part of this run that no attempt can still reach is closed as it stands; the bytes of any other are first
      * put where a writer that may still be alive cannot follow (I1).
      */
    override def close(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending] = {
      val (unwritten, whole) = due.partition(!_.part.beside.isEmpty)
      inTurn(whole)(asItStands) ++ written(unwritten, newestSeq)
    }

    override def drop(unneeded: Set[String]): Unit = if (unneeded.nonEmpty) {
      Log.tolerating("Spool files could not be removed; they are once they are old enough") {
        spoolFiles.discard(unneeded.toVector)
      }
      faults.at(Step.AfterDrop)
    }

    /** Without the parts whose files are gone, if the user chose so; else the task that misses one fails. */
    private[commit] def withoutLost(state: SinkState): SinkState = onLost match {
      case LostPart.Fail => state
      case LostPart.Skip =>
        val staged  = if (state.open.isEmpty) Set.empty[String] else parts.staged().map(_.token).toSet
        val spooled =
          if (state.spoolFiles.isEmpty) Set.empty[String] else spoolFiles.staged().map(_.token).toSet
        val (there, gone) = state.open.partition { part =>
          parts.stagedOf(part.handle.token).subsetOf(staged) &&
          part.beside.files.forall(file => spooled(file.token))
        }
        gone.foreach { part =>
          Log.warn(
            s"Going on without the ${part.records} rows of ${part.handle.brief} (onLostPart=skip)"
          )
        }
        state.copy(open = there)
    }

    private def asItStands(due: EpochOutcome.PartToClose): Pending = {
      val part   = due.part
      val handle =
        if (isOurs(part)) parts.closed(part.handle, part.validBytes)
        else parts.isolate(part.handle, part.validBytes, newPart(part))
      Pending.of(part, handle, due.reason)
    }

    /** As a task would do it: announced first, then the look whether there is a newer run (I1). */
    private def written(due: Vector[EpochOutcome.PartToClose], newestSeq: Long): Vector[Pending] =
      if (due.isEmpty) Vector.empty
      else
        Using.resource(parts.enter(run)) { _ =>
          mayWrite(newestSeq)
          inTurn(due)(ended)
        }

    /** Large ones a few at a time, as memory and processors allow; the others as requests go. */
    private def inTurn(
        due: Vector[EpochOutcome.PartToClose]
    )(close: EpochOutcome.PartToClose => Pending): Vector[Pending] = {
      val (large, small) = due.partition(workBytes(_) > SmallBytes)
      val runtime        = Runtime.getRuntime
      val concurrent     =
        atOnce(large.map(_.part.beside.storageBytes), runtime.maxMemory, runtime.availableProcessors)
      parallel.map(small)(close).toVector ++ parallel.mapWork(large, concurrent)(close)
    }

    /** To be written: rows of which the part lacks the bytes, and the bytes of a part that another attempt may still reach. */
    private def workBytes(due: EpochOutcome.PartToClose): Long =
      due.part.beside.storageBytes.max(if (isOurs(due.part)) 0 else due.part.validBytes)

    private def ended(due: EpochOutcome.PartToClose): Pending = {
      val part   = due.part
      def writer = OpenPartWriter.resume(part, format(), TaskWriter.Times[Any]()) { () =>
        if (isOurs(part)) parts.resume(part.handle, part.validBytes)
        else parts.takeOver(part.handle, part.validBytes, newPart(part))
      }
      Using.resource(writer) { writer =>
        writer.complete()
        val pending = writer.finish(due.reason).copy(schema = part.schema)
        faults.at(Step.PartEnded)
        pending
      }
    }

    private def isOurs(part: Open): Boolean = part.owner.contains(run)

    private def newPart(part: Open): NewPart = NewPart(part.bucket, part.name, run)
  }

  /** Parts with more bytes than that to write are ended only so many at a time: rows take the memory of a block. */
  private val SmallBytes = 4L << 20

  /** So many parts whose rows will take these bytes on storage are ended at a time: as processors there are, as long as
    * their blocks fit into a quarter of the heap, and at least one.
    */
  def atOnce(storageBytes: Seq[Long], heapBytes: Long, processors: Int): Int =
    (heapBytes / HeapShare / (storageBytes.maxOption.getOrElse(0L) * BlockPerByte).max(1))
      .max(1L)
      .min(processors.toLong)
      .toInt

  private val HeapShare = 4L

  /** Measured: a row group holds 1.1 bytes for each that it will take on storage, since its pages are compressed. The rest is
    * for what the estimate of these bytes may be off.
    */
  private val BlockPerByte = 2L
}
