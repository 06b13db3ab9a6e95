package stoplog.commit

import stoplog.part.{Pending, RunId}
import stoplog.store.{NewPart, PartStore}

/** Closes open parts on behalf of the driver. */
private[commit] final class Closer(store: PartStore, parallel: Parallel, run: RunId) {

  /** The parts, closed where their last committed epoch left them.
    *
    * A part of this run that no attempt can still reach is closed as it stands; the bytes of any other are first
    * put where a writer that may still be alive cannot follow (I1).
    */
  def close(due: Vector[Due]): Vector[Pending] = parallel.map(due)(closeOne).toVector

  private def closeOne(due: Due): Pending = {
    val part   = due.part
    val handle =
      if (part.owner.contains(run)) part.handle
      else store.isolate(part.handle, part.validBytes, NewPart(part.bucket, part.name, run))
    Pending.of(part, handle, due.reason)
  }
}
