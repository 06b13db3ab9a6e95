// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.Closeable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Those that earlier epochs left, then those of this one. The object is reused. */
private[bulk] final class Rows(
    earlier: Option[Iterator[UnsafeRow] with Closeable],
    now: Iterator[UnsafeRow]
) extends Iterator[UnsafeRow]
    with Closeable {
  private[this] val all = earlier.fold(now)(_ ++ now)

  override def hasNext: Boolean  = all.hasNext
  override def next(): UnsafeRow = all.next()
  override def close(): Unit     = earlier.foreach(_.close())
}

/** Whose part of a task may fill a block: one at a time, for a block takes as much memory as it is large. */
private[bulk] final class BlockTurn {
  private[this] var holder = Option.empty[BulkPartEncoder]

  def take(body: BulkPartEncoder): Unit = {
    holder.filter(_ ne body).foreach(_.giveUpBlock())
    holder = Some(body)
  }
}
