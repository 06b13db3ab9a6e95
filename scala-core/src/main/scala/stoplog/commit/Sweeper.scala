package stoplog.commit

import org.slf4j.LoggerFactory

import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, LogRecord}
import stoplog.part.RunId
import stoplog.store.{FinishedStore, PartStore, SideStore, Staged}

/** Protocol step 10: removes what dead attempts left behind (I5). */
private[commit] final class Sweeper(
    store: PartStore,
    sides: SideStore,
    finished: FinishedStore,
    log: CommitLog,
    parallel: Parallel,
    clock: Clock,
    faults: Faults
) {
  import Sweeper._

  /** Deletes what is staged, named by no record, and older than the grace time; answers how much that was.
    *
    * Must be called by the driver that holds the claim, with no epoch of its own in flight. The order of the two
    * looks matters. Listing comes first: whatever a newer driver's tasks stage after its claim is then either not
    * in the list, or its claim is in the log by the time the log is read, and nothing is deleted.
    */
  def sweep(run: RunId): Int = {
    val cutoff                      = clock.millis() - GraceMillis
    def old(staged: Vector[Staged]) = staged.filter(_.modifiedAtMillis < cutoff).map(_.token)
    val oldParts                    = old(store.staged())
    val oldSides                    = old(sides.staged())
    val aside                       = finished.setAsideFor()
    if (oldParts.isEmpty && oldSides.isEmpty && aside.isEmpty) 0
    else
      log.newest().filter(_.run == run).fold(0) { newest =>
        val needed  = named(newest)
        val orphans = oldParts.filterNot(needed)
        val beside  = oldSides.filterNot(newest.state.sideFiles)
        parallel.map(orphans) { token =>
          store.discard(token)
          faults.at(Step.MidSweep)
        }
        sides.discard(beside)
        // Older records have been carried out. What is aside for them was put there by a driver that slept.
        aside.filter(_ < newest.seq).foreach(finished.forget)
        val count = orphans.size + beside.size
        if (count > 0) logger.info(s"Removed $count unfinished files that no record names")
        count
      }
  }

  /** The newest record alone says what is needed: older ones have been published before it was written. */
  private def named(newest: LogRecord): String => Boolean =
    (newest.state.open.map(_.handle) ++ newest.publish.map(_.handle)).flatMap(store.stagedOf(_)).toSet
}

private[commit] object Sweeper {
  private val logger = LoggerFactory.getLogger("stoplog")

  /** An executor that was cut off may write on for ten minutes (60 heartbeats of 10 s) before it ends itself. */
  val GraceMillis: Long = 11 * 60 * 1000L
}
