// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.fault.{Faults, Step}
import stoplog.log.LogRecord
import stoplog.part.RunId
import stoplog.sink.Staged
import stoplog.thread.Clock

/** Protocol step 10: removes what dead attempts left behind (I5). */
private[stoplog] final class OrphanCleaner(
    stores: Ledger.Stores,
    parallel: Parallel,
    clock: Clock,
    faults: Faults
) {
  import OrphanCleaner._
  import stores.{committer, finished, spoolFiles}

  private val log = stores.log

  /** Deletes what is staged, named by no record, and older than the grace time; answers how much that was.
    *
    * Must be called by the driver that holds the claim, with no epoch of its own in flight. The order of the two
    * looks matters. Listing comes first: whatever a newer driver's tasks stage after its claim is then either not
    * in the list, or its claim is in the log by the time the log is read, and nothing is deleted.
    */
  def sweep(run: RunId): Int = {
    val listed = list()
    if (!listed.exists(_.isOld)) 0
    else
      log.newest().filter(_.run == run).fold(0) { newest =>
        val verdicts            = judged(listed, newest)
        val orphans             = verdicts.collect { case Judged(found, Verdict.Orphan) => found }
        val (parts, others)     = orphans.partition(_.kind == Kind.Part)
        val (spooled, replaced) = others.partition(_.kind == Kind.Spool)
        // First, since it shows rows: what cannot be deleted must not keep it.
        verdicts.foreach {
          case Judged(found, Verdict.Returns) => finished.restoreLate(found.name.toLong)
          case _                              => ()
        }
        parallel.map(parts) { found =>
          committer.abort(found.name)
          faults.at(Step.MidSweep)
        }
        spoolFiles.discard(spooled.map(_.name))
        replaced.foreach(found => finished.purge(found.name.toLong))
        val count = parts.size + spooled.size
        if (count > 0) Log.info(s"Removed $count unfinished files that no record names")
        count
      }
  }

  /** The verdict of a [[sweep]] now on each file, with its reason. Changes nothing. */
  def look(): Vector[Judged] = {
    val listed = list()
    if (listed.isEmpty) Vector.empty else log.newest().fold(Vector.empty[Judged])(judged(listed, _))
  }

  private def list(): Vector[Found] = {
    val cutoff                            = clock.millis() - GraceMillis
    def found(kind: Kind)(staged: Staged) =
      Found(kind, staged.token, isOld = staged.modifiedAtMillis < cutoff)
    committer.staged().map(found(Kind.Part)) ++ spoolFiles.staged().map(found(Kind.Spool)) ++
      finished.hiddenFor().map(seq => Found(Kind.Replaced, seq.toString, isOld = true))
  }

  /** The newest record alone says what is needed: older ones have been published before it was written. */
  private def judged(listed: Vector[Found], newest: LogRecord): Vector[Judged] = {
    val needed = (newest.state.open.map(_.handle) ++ newest.publish.map(_.handle))
      .flatMap(handle => committer.stagedOf(handle.token))
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

  private def ofStaged(found: Found, isInUse: Boolean): Verdict =
    if (isInUse) Verdict.InUse else if (found.isOld) Verdict.Orphan else Verdict.Recent

  /** Other processes were done with an older record when a driver that slept set something aside for it: the replaced parts
    * were gone by then, unless a merge had been called off, whose inputs are the only copies of their rows.
    */
  private def ofReplaced(seq: Long, newest: Long): Verdict =
    if (seq >= newest) Verdict.InUse
    else if (log.tellsCarriedOut(seq)) Verdict.Orphan
    else if (finished.hidesAtOnce) Verdict.Returns
    else Verdict.Unclear
}

private[stoplog] object OrphanCleaner {

  /** A leftover that the listing shows.
    *
    * @param name  the token of an unfinished part or of a file beside one; the number of the record for which finished
    *              parts were set aside
    * @param isOld whether the grace time is over
    */
  final case class Found(kind: Kind, name: String, isOld: Boolean)

  sealed trait Kind
  object Kind {
    case object Part     extends Kind
    case object Spool    extends Kind
    case object Replaced extends Kind
  }

  /** A leftover, and its fate. */
  final case class Judged(found: Found, verdict: Verdict)

  sealed trait Verdict
  object Verdict {

    /** It is removed. */
    case object Orphan extends Verdict

    /** It goes back to its readers: no record tells that its rows are elsewhere. */
    case object Returns extends Verdict

    /** The same where a part is copied to be set aside: whether it is a late copy, of rows that are elsewhere, cannot be told.
      * It stays.
      */
    case object Unclear extends Verdict

    /** The newest record names it. */
    case object InUse extends Verdict

    /** The run that made it may be alive, and its record about to be written. */
    case object Recent extends Verdict
  }

  /** An executor that was cut off may write on for ten minutes (60 heartbeats of 10 s) before it ends itself. */
  val GraceMillis: Long = 11 * 60 * 1000L
}
