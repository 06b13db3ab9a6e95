// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import scala.collection.mutable

/** A row: unique in its world, and its text begins with its bucket. */
final case class Row(bucket: String, text: String)

/** What Spark has planned for one epoch. */
final case class Batch(id: Long, rows: Vector[Row])

/** The checkpoint of the query, with its source: what the offset log plans is fixed for good. */
final class Source(random: SplittableRandom, buckets: Int) {
  private val planned   = mutable.ArrayBuffer.empty[Batch]
  private val committed = mutable.Set.empty[Long]

  def batches: Iterable[Batch] = planned

  def batch(id: Long): Batch = planned(id.toInt)

  def size: Int = planned.size

  def isCommitted(id: Long): Boolean = committed(id)

  def allCommitted: Boolean = planned.forall(batch => committed(batch.id))

  /** The batch that a start runs first, if there is one to be run again. */
  def uncommitted: Option[Batch] = planned.lastOption.filterNot(batch => committed(batch.id))

  /** Writes the next entry of the offset log; fails when another driver was faster. */
  def plan(id: Long, rowsAtMost: Int): Batch = {
    if (planned.size != id) throw new ConcurrentUpdate(s"offsets/$id")
    val rows = Vector.tabulate(random.nextInt(rowsAtMost + 1)) { n =>
      val bucket = ('a' + random.nextInt(buckets)).toChar.toString
      Row(bucket, s"$bucket:$id.$n")
    }
    val batch = Batch(id, rows)
    planned += batch
    batch
  }

  def commit(id: Long): Unit = if (!committed.add(id)) throw new ConcurrentUpdate(s"commits/$id")
}

/** Two drivers work on one checkpoint, and this one was slower. */
final class ConcurrentUpdate(file: String) extends RuntimeException(s"$file is there already")
