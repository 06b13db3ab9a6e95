// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import scala.collection.mutable

/** The checkpoint of a query: what its offset log plans, and what its commit log says is done. */
final class Checkpoint(source: Source) {
  private val offsets   = mutable.ArrayBuffer.empty[Batch]
  private val committed = mutable.Set.empty[Long]

  def fingerprint: Long = Fingerprint.of((offsets, committed))

  /** How many batches there are. */
  def size: Int = offsets.size

  /** Behind the last row of the last batch that is committed. */
  def committedUntil: Int =
    offsets.iterator.filter(batch => committed(batch.id)).map(_.until).maxOption.getOrElse(0)

  /** Behind the last batch that is committed. */
  def nextBatch: Long = committed.maxOption.fold(0L)(_ + 1)

  /** The batch that a start runs first, if there is one to be run again. */
  def uncommitted: Option[Batch] = offsets.lastOption
    .filterNot(batch => committed(batch.id))
    .map(source.beginningAt(offsets.dropRight(1).lastOption.fold(0)(_.until), _))

  /** What the offset log says of a batch. */
  def planned(id: Long): Option[Batch] = offsets.lift(id.toInt)

  /** Behind the last row that is planned. */
  def end: Int = offsets.lastOption.fold(0)(_.until)

  /** Writes the next entry of the offset log; fails when another driver was faster, or the file is another's now.
    *
    * @param from what the driver remembers: it does not read again what it has planned
    */
  def plan(id: Long, from: Int, rowsAtMost: Int, share: Share): Batch = {
    if (offsets.size != id) throw new ConcurrentUpdate(s"offsets/$id")
    val batch = source.newest(id, from, rowsAtMost, share)
    offsets += batch
    batch
  }

  def commit(id: Long): Unit =
    if (id >= offsets.size || !committed.add(id)) throw new ConcurrentUpdate(s"commits/$id")

  /** A copy of it as it is, which goes its own way from here. */
  def copied(): Checkpoint = {
    val copy = new Checkpoint(source)
    copy.restore(this)
    copy
  }

  /** Becomes what that one is. */
  def restore(backup: Checkpoint): Unit = {
    offsets.clear()
    offsets ++= backup.offsets
    committed.clear()
    committed ++= backup.committed
  }

  /** What a backup of `behind` batches ago would hold. */
  def forget(behind: Int): Unit = {
    offsets.dropRightInPlace(behind.min(offsets.size))
    committed.filterInPlace(_ < offsets.size)
    ()
  }

  /** An operator removes what it says of batches from there on. */
  def backTo(next: Long): Unit = {
    offsets.takeInPlace(next.toInt)
    committed.filterInPlace(_ < next)
    committed ++= offsets.map(_.id)
    ()
  }

  /** The last entries were not forced to the disk: any number of them is gone, the last one first. */
  def losePower(dice: SplittableRandom): Unit = (1 to 1 + dice.nextInt(2)).foreach { _ =>
    if (dice.nextBoolean()) offsets.lastOption.foreach { last =>
      if (!committed.remove(last.id) || dice.nextBoolean()) offsets.dropRightInPlace(1)
    }
  }

  /** Somebody brings a newer copy, which agrees with what the sink has written. */
  def agreeWith(decided: Seq[Batch]): Unit = {
    offsets.clear()
    offsets ++= decided
    committed.clear()
    committed ++= decided.map(_.id)
    ()
  }
}

/** Two drivers work on one checkpoint, and this one was slower. */
final class ConcurrentUpdate(file: String) extends RuntimeException(s"$file is there already")
