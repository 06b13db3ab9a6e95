// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import scala.collection.mutable

import stoplog.part.RunId

/** A row: unique in its world, and its text begins with its bucket. */
final case class Row(bucket: String, text: String)

/** What Spark has planned for one epoch.
  *
  * @param from     the offset of its first row
  * @param identity what tells it from another batch of this number: the content of `offsets/<id>` does
  */
final case class Batch(id: Long, from: Int, rows: Vector[Row], identity: String) {

  /** Behind its last row. */
  def until: Int = from + rows.size
}

/** Where the rows come from. An offset has the same row for good, whoever reads it, and however often.
  *
  * @param mark    in each row, where there is another source
  * @param rejects of the query that reads from here
  */
final class Source(
    random: SplittableRandom,
    buckets: Int,
    mark: String = "",
    rejects: Rejects = Rejects.Off
) {
  private val rows      = mutable.ArrayBuffer.empty[Row]
  private val ofBatch   = mutable.Map.empty[Long, Int].withDefaultValue(0)
  private val beginning = mutable.Map.empty[(RunId, Long), Batch]

  def fingerprint: Long = Fingerprint.of((rows, ofBatch, beginning))

  /** Whether the format refuses the row: whoever writes it, and however often. */
  def isRejected(row: String): Boolean = rejects == Rejects.Some && row.hashCode % 3 == 0

  /** So many rows there have been so far. */
  def size: Int = rows.size

  def until(offset: Int): Vector[Row] = rows.take(offset).toVector

  /** The next batch: all rows from there on, and up to `rowsAtMost` that have come since. */
  def newest(id: Long, from: Int, rowsAtMost: Int, share: Share): Batch = {
    val count = share match {
      case Share.Drawn => random.nextInt(rowsAtMost + 1)
      case Share.Even  => rowsAtMost
    }
    (0 until count).foreach { _ =>
      val bucket = ('a' + random.nextInt(buckets)).toChar.toString
      val n      = ofBatch(id)
      ofBatch.update(id, n + 1)
      rows += Row(bucket, s"$bucket:$mark$id.$n")
    }
    Batch(id, from, rows.drop(from).toVector, s"$from-${rows.size}")
  }

  /** The batch with another beginning: the offset log says where each ends. */
  def beginningAt(from: Int, batch: Batch): Batch =
    if (batch.from == from) batch else batch.copy(from = from, rows = rows.slice(from, batch.until).toVector)

  /** A run is about to begin this batch. */
  def begins(run: RunId, batch: Batch): Unit = beginning.update(run -> batch.id, batch)

  /** What the run took for the epoch. */
  def begun(run: RunId, epoch: Long): Batch =
    beginning.getOrElse(run -> epoch, throw new Violation(s"$run decides epoch $epoch, and has not begun it"))
}
