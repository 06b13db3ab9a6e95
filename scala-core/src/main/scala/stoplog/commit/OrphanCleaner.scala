// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, LogRecord}
import stoplog.part.RunId
import stoplog.sink.Staged
import stoplog.thread.{Clock, Parallel}

/** Protocol step 10: deletes the remains of dead attempts (I5).
  *
  * @param log the log of the caller, which knows the states of the newest records
  */
private[stoplog] final class OrphanCleaner(
    stores: Ledger.Stores,
    log: CommitLog,
    parallel: Parallel,
    clock: Clock,
    faults: Faults
) {
  import OrphanCleaner._
  import stores.{committer, finished, spoolFiles}

  /** Deletes staged files without a record, after the grace time. Returns the number of deleted files. */
  def sweep(run: RunId): Int = sweep(run, list().filter(_.isOld))

  /** Deletes the listed files that still have no record. Returns the number of deleted files.
    *
    * Must be called by the driver with the claim, with no epoch in flight. The files are listed before the
    * log is read. So if a newer driver's task has staged a listed file, the log already contains the newer
    * claim and nothing is deleted.
    */
  def sweep(run: RunId, listed: Vector[Found]): Int =
    if (listed.isEmpty) 0
    else
      log.newest().filter(_.run == run).fold(0) { newest =>
        val verdicts            = judged(listed, newest)
        val orphans             = verdicts.collect { case Judged(found, OrphanStatus.Orphan) => found }
        val (parts, others)     = orphans.partition(_.kind == Kind.Part)
        val (spooled, replaced) = others.partition(_.kind == Kind.Spool)
        // First, because rows become visible again: a failed deletion must not prevent this.
        verdicts.foreach {
          case Judged(found, OrphanStatus.Returns) => finished.restoreLate(found.name.toLong)
          case _                                   => ()
        }
        parallel.map(parts) { found =>
          committer.discard(found.name)
          faults.at(Step.MidSweep)
        }
        spoolFiles.discard(spooled.map(_.name))
        replaced.foreach(found => finished.purge(found.name.toLong))
        val count = parts.size + spooled.size
        if (count > 0) Log.info(s"Removed $count unfinished files that no record names")
        count
      }

  /** Lists the files for a later [[sweep]]: old files, except the files in use by `newest`. Changes nothing,
    * and may be called during an epoch: a listing of very many parts takes minutes.
    */
  def candidates(newest: LogRecord): Vector[Found] = {
    val old = list().filter(_.isOld)
    if (old.isEmpty) old else judged(old, newest).filter(_.verdict != OrphanStatus.InUse).map(_.found)
  }

  /** Returns the verdict of a [[sweep]] on each file now. Changes nothing. */
  def look(): Vector[Judged] = {
    val listed = list()
    if (listed.isEmpty) Vector.empty else log.newest().fold(Vector.empty[Judged])(judged(listed, _))
  }

  private def list(): Vector[Found] = {
    val cutoff                            = clock.millis() - GraceMillis
    def found(kind: Kind)(staged: Staged) =
      Found(kind, staged.token, isOld = staged.modifiedAtMillis < cutoff)
    committer.output.staged().map(found(Kind.Part)) ++ spoolFiles.staged().map(found(Kind.Spool)) ++
      finished.hiddenFor().map(seq => Found(Kind.Replaced, seq.toString, isOld = true))
  }

  /** Uses only the newest record: older records were published before the newest record was written. */
  private def judged(listed: Vector[Found], newest: LogRecord): Vector[Judged] = {
    val needed = (newest.state.open.map(_.handle) ++ newest.publish.map(_.handle))
      .flatMap(handle => committer.output.stagedOf(handle.token))
      .toSet
    val spooled = newest.state.spoolFiles
    listed.map { found =>
      val verdict = found.kind match {
        case Kind.Part     => ofStaged(found, needed(found.name))
        case Kind.Spool    => ofStaged(found, spooled(found.name))
        case Kind.Replaced => ofReplaced(found.name.toLong, newest.seq)
      }
      Judged(found, verdict)
    }
  }

  private def ofStaged(found: Found, isInUse: Boolean): OrphanStatus =
    if (isInUse) OrphanStatus.InUse else if (found.isOld) OrphanStatus.Orphan else OrphanStatus.Recent

  /** Returns the verdict on files hidden for a record. If a sleeping driver hid files for an older record,
    * other processes had finished this record. The replaced parts were deleted by then, unless a compaction
    * was called off, whose inputs are the only copies of their rows.
    */
  private def ofReplaced(seq: Long, newest: Long): OrphanStatus =
    if (seq >= newest) OrphanStatus.InUse
    else if (log.provesExecuted(seq)) OrphanStatus.Orphan
    else if (finished.hidesAtOnce) OrphanStatus.Returns
    else OrphanStatus.Unclear
}

private[stoplog] object OrphanCleaner {

  /** A remaining file in the listing.
    *
    * @param name  the token of an unfinished part or a spool file, or the number of a record with hidden
    *              files
    * @param isOld whether the grace time is over
    */
  final case class Found(kind: Kind, name: String, isOld: Boolean)

  sealed trait Kind
  object Kind {
    case object Part     extends Kind
    case object Spool    extends Kind
    case object Replaced extends Kind
  }

  /** A remaining file and its verdict. */
  final case class Judged(found: Found, verdict: OrphanStatus)

  sealed trait OrphanStatus
  object OrphanStatus {

    /** The file is deleted. */
    case object Orphan extends OrphanStatus

    /** The file is restored for its readers: no record shows that its rows are elsewhere. */
    case object Returns extends OrphanStatus

    /** The file stays: hiding is a copy here, so the file may be a late copy of rows stored elsewhere. */
    case object Unclear extends OrphanStatus

    /** The newest record names the file. */
    case object InUse extends OrphanStatus

    /** The run that created the file may be alive and about to write its record. */
    case object Recent extends OrphanStatus
  }

  /** Milliseconds. A disconnected executor may write for ten minutes (60 heartbeats of 10 s) before exit. */
  val GraceMillis: Long = 11 * 60 * 1000L
}
