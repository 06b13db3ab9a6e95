// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.Using

import stoplog.fault.{Faults, Step}
import stoplog.part.{Open, Pending, RunId}
import stoplog.storage.{NewPart, PartStore}

/** Closes open parts on behalf of the driver.
  *
  * @param format   makes what writes the rows that a part still lacks, for one part, in whatever format it was begun
  * @param mayWrite called with the lease of a writer held, and with the newest record that the driver knows: throws if
  *                 there is a newer one
  */
private[commit] final class Closer(
    store: PartStore,
    format: () => PartFormat[_],
    parallel: Parallel,
    run: RunId,
    mayWrite: Long => Unit,
    faults: Faults
) {

  /** The parts, closed where their last committed epoch left them.
    *
    * A part of this run that no attempt can still reach is closed as it stands; the bytes of any other are first
    * put where a writer that may still be alive cannot follow (I1).
    */
  def close(due: Vector[PartToClose], newest: Long): Vector[Pending] = {
    val (unwritten, whole) = due.partition(!_.part.beside.isEmpty)
    parallel.map(whole)(asItStands).toVector ++ written(unwritten, newest)
  }

  private def asItStands(due: PartToClose): Pending = {
    val part   = due.part
    val handle =
      if (isOurs(part)) store.closed(part.handle, part.validBytes)
      else store.isolate(part.handle, part.validBytes, newPart(part))
    Pending.of(part, handle, due.reason)
  }

  /** As a task would do it: announced first, then the look whether there is a newer run (I1). */
  private def written(due: Vector[PartToClose], newest: Long): Vector[Pending] =
    if (due.isEmpty) Vector.empty
    else
      Using.resource(store.enter(run)) { _ =>
        mayWrite(newest)
        val (large, small) = due.partition(_.part.beside.storageBytes > Closer.SmallBytes)
        val atOnce = Closer.atOnce(large.map(_.part.beside.storageBytes), Closer.heapBytes, Closer.processors)
        parallel.map(small)(ended).toVector ++ parallel.mapWork(large, atOnce)(ended)
      }

  private def ended(due: PartToClose): Pending = {
    val part = due.part
    val live = OpenPartWriter.resume(part, format(), RowTimes.Unasked, RowTimes.Unasked) { () =>
      if (isOurs(part)) store.resume(part.handle, part.validBytes)
      else store.takeOver(part.handle, part.validBytes, newPart(part))
    }
    try {
      live.complete()
      val pending = live.finish(due.reason).copy(schema = part.schema)
      faults.at(Step.PartEnded)
      pending
    } finally live.close()
  }

  private def isOurs(part: Open): Boolean = part.owner.contains(run)

  private def newPart(part: Open): NewPart = NewPart(part.bucket, part.name, run)
}

private[commit] object Closer {

  /** Parts with more rows than that to write are ended only so many at a time: each takes the memory of a block. */
  private val SmallBytes = 4L << 20

  /** So many parts whose rows will take these bytes on storage are ended at a time: as processors there are, as long as
    * their blocks fit into a quarter of the heap, and at least one.
    */
  def atOnce(storageBytes: Seq[Long], heapBytes: Long, processors: Int): Int =
    (heapBytes / HeapShare / (storageBytes.maxOption.getOrElse(0L) * BlockPerByte).max(1))
      .max(1L)
      .min(processors.toLong)
      .toInt

  private def heapBytes: Long = Runtime.getRuntime.maxMemory

  private def processors: Int = Runtime.getRuntime.availableProcessors

  private val HeapShare = 4L

  /** A block is kept encoded, and not yet compressed. */
  private val BlockPerByte = 4L
}
