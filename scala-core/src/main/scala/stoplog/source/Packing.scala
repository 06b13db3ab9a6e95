// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Distributes the splits of a micro-batch, or of a batch query, among tasks.
  *
  * A task costs more than a small split. So small splits are grouped in their order, and large splits are
  * divided until every core has work.
  */
private[stoplog] object Packing {

  /** @param tasks the number of tasks that can run at the same time */
  def pack[S <: Split](
      splits: Iterator[S],
      source: SplitSource[S, _, _],
      tasks: Int,
      sizes: Sizes
  ): Vector[Vector[S]] = {
    val all    = splits.toVector
    val total  = all.iterator.map(weight(_, sizes)).sum
    val target = (total / tasks.max(1)).max(sizes.leastBytes).min(sizes.mostBytes)
    grouped(all.iterator.flatMap(divided(_, source, target)), target, sizes)
  }

  private def divided[S <: Split](split: S, source: SplitSource[S, _, _], target: Long): Seq[S] =
    if (split.size.bytes > target + target / 2) source.divide(split, target) else Seq(split)

  private def grouped[S <: Split](
      pieces: Iterator[S],
      target: Long,
      sizes: Sizes
  ): Vector[Vector[S]] = {
    val groups = Vector.newBuilder[Vector[S]]
    var group  = Vector.newBuilder[S]
    var filled = 0L
    pieces.foreach { piece =>
      val more = weight(piece, sizes)
      if (filled > 0 && filled + more / 2 > target) {
        groups += group.result()
        group = Vector.newBuilder[S]
        filled = 0
      }
      group += piece
      filled += more
    }
    if (filled > 0) groups += group.result()
    groups.result()
  }

  private def weight(split: Split, sizes: Sizes): Long = split.size.bytes + sizes.openingBytes

  /** The sizes of the tasks.
    *
    * @param openingBytes the cost of opening a split, expressed as a number of bytes to read
    * @param leastBytes   the minimum number of bytes that is worth a task
    * @param mostBytes    the maximum number of bytes of a task
    */
  final case class Sizes(openingBytes: Long, leastBytes: Long, mostBytes: Long)

  object Sizes {

    /** Spark's own sizes of tasks, with a lower opening cost: a task makes no request twice. */
    val default: Sizes = Sizes(64L << 10, 4L << 20, 128L << 20)
  }
}
