// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What an engine like Spark writes down of a query: its offsets, its commits, and what it has put out.
  *
  * It outlives the processes. Of two at once the slower one finds an entry taken, as in Spark's own logs.
  */
final class SourceLedger {
  private var ends      = Vector.empty[Long]
  private var written   = Map.empty[Int, Vector[String]]
  private var done      = 0
  private var different = Vector.empty[String]

  /** The micro-batches that were planned, by where they end. */
  def planned: Vector[Long] = synchronized(ends)

  /** How many of them are committed. */
  def committed: Int = synchronized(done)

  def plan(batch: Int, end: Long): Unit = synchronized {
    if (ends.size != batch) throw new SourceLedger.Overtaken(batch)
    ends :+= end
  }

  /** Puts the rows out in place of what was put out before for this micro-batch, which must be the same. */
  def write(batch: Int, rows: Vector[String]): Unit = synchronized {
    for (before <- written.get(batch) if before != rows)
      different :+= s"micro-batch $batch was $before, and then $rows"
    written += batch -> rows
  }

  def commit(batch: Int): Unit = synchronized {
    if (done != batch) throw new SourceLedger.Overtaken(batch)
    done = batch + 1
  }

  def rows: Vector[String] = synchronized(written.toVector.sortBy(_._1).flatMap(_._2))

  def problems: Vector[String] = synchronized(different)
}

object SourceLedger {

  /** Another process has done this micro-batch. */
  final class Overtaken(batch: Int) extends RuntimeException(s"micro-batch $batch is another's")
}
