// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.fault.{Faults, Step}
import stoplog.log.LogRecord
import stoplog.part.RunId
import stoplog.sink.Staged

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
        val orphans         = judged(listed, newest).collect { case Judged(found, Verdict.Orphan) => found }
        val (parts, others) = orphans.partition(_.kind == Kind.Part)
        val (spooled, replaced) = others.partition(_.kind == Kind.Spool)
        parallel.map(parts) { found =>
          committer.abort(found.name)
          faults.at(Step.MidSweep)
        }
        spoolFiles.discard(spooled.map(_.name))
        replaced.foreach(found => forget(found.name.toLong))
        val count = parts.size + spooled.size
        if (count > 0) Log.info(s"Removed $count unfinished files that no record names")
        count
      }
  }

  /** Deletes what a driver that slept has set aside for a record that others have carried out; inputs of a merge that they
    * have called off come back.
    */
  private def forget(seq: Long): Unit = log.calledOff(seq) match {
    case Some(merge) => merge.replace.foreach(part => finished.restoreLate(seq, part.path))
    case None        => finished.purge(seq)
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
      val isInUse = found.kind match {
        case Kind.Part  => needed(found.name)
        case Kind.Spool => spooled(found.name)
        // Older records have been carried out. What is aside for them was put there by a driver that slept.
        case Kind.Replaced => found.name.toLong >= newest.seq
      }
      Judged(
        found,
        if (isInUse) Verdict.InUse else if (found.isOld) Verdict.Orphan else Verdict.Recent
      )
    }
  }
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

    /** The newest record names it. */
    case object InUse extends Verdict

    /** The run that made it may be alive, and its record about to be written. */
    case object Recent extends Verdict
  }

  /** An executor that was cut off may write on for ten minutes (60 heartbeats of 10 s) before it ends itself. */
  val GraceMillis: Long = 11 * 60 * 1000L
}
