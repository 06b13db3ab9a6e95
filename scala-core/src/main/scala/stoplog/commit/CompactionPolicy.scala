// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.part.{FinishedPart, Pending}

/** Which finished parts are merged, and when. Pure.
  *
  * Parts of a bucket that are below `smallerThanBytes` wait to be merged until they have `targetBytes` together, or
  * until the oldest has waited for `afterEpochs` epochs. A merged part that is still small waits too, eight times as
  * long with each merge: so a row is written again a few times, however many small parts there are, and not with each
  * new one.
  *
  * @param smallerThanBytes at most half of `targetBytes`
  * @param minFiles         how many parts a merge has at least; 2 or more
  */
final case class CompactionPolicy(
    smallerThanBytes: Long,
    targetBytes: Long,
    afterEpochs: Long,
    minFiles: Int
) {
  import CompactionPolicy._

  def isSmall(part: Pending): Boolean = part.sizeBytes > 0 && part.sizeBytes < smallerThanBytes

  /** The parts to merge now, and those that need not be remembered any longer.
    *
    * @param small   oldest first
    * @param closing whether a bucket gets no more rows: then its parts wait for no others
    */
  def due(small: Vector[FinishedPart], epoch: Long, closing: String => Boolean): PartToClose = {
    val groups = small.groupBy(part => (part.bucket, part.schema)).values.toVector
    val chosen = groups.sortBy(_.head.path).map(inGroup(_, epoch, closing))
    PartToClose(chosen.map(_.merge).find(_.nonEmpty).getOrElse(Vector.empty), chosen.flatMap(_.left))
  }

  private def inGroup(parts: Vector[FinishedPart], epoch: Long, closing: String => Boolean): PartToClose = {
    val full = parts.map(_.sizeBytes).sum >= targetBytes || parts.sizeIs >= MostFiles
    val aged = parts.filter(part => epoch - part.epoch >= limit(part.merges))
    if (full) PartToClose(fitting(parts), Vector.empty)
    else if (closing(parts.head.bucket) && parts.sizeIs >= 2) PartToClose(fitting(parts), Vector.empty)
    else if (aged.isEmpty) PartToClose(Vector.empty, Vector.empty)
    else {
      val most   = aged.map(_.merges).max
      val choice = fitting(parts.filter(_.merges <= most))
      if (choice.sizeIs >= minFiles) PartToClose(choice, Vector.empty) else PartToClose(Vector.empty, aged)
    }
  }

  /** As many as make one part of the target's size; two always do. */
  private def fitting(parts: Vector[FinishedPart]): Vector[FinishedPart] = {
    val upTo = parts.scanLeft(0L)(_ + _.sizeBytes).drop(1).takeWhile(_ <= targetBytes).size
    parts.take(upTo.max(2).min(MostFiles))
  }

  @tailrec
  private def limit(merges: Int, epochs: Long = afterEpochs): Long =
    if (merges == 0 || epochs > MostEpochs) epochs else limit(merges - 1, epochs * Patience)
}

object CompactionPolicy {

  /** @param merge what to merge now, of one bucket; none if nothing is due
    * @param left  parts that found no others in time, and stay as they are
    */
  final case class PartToClose(merge: Vector[FinishedPart], left: Vector[FinishedPart])

  /** A record names them all, and a task opens them all. */
  private[stoplog] val MostFiles = 256

  private val Patience   = 8L
  private val MostEpochs = Long.MaxValue / 16
}
