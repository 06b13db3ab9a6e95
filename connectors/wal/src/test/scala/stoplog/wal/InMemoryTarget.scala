// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType

/** A target in memory, by the name in the option `inbox`. */
final class InMemoryTarget {
  private val arrived = mutable.Buffer.empty[(String, String)]
  private val asking  = mutable.Set.empty[String]

  /** How many rows it still takes before it fails, once. */
  @volatile var failsAfter: Option[Int] = None

  /** Whether it refuses every row. */
  @volatile var isFull: Boolean = false

  def take(chunk: Chunk, row: String): Unit = synchronized {
    if (isFull) throw new IllegalStateException("the inbox is full")
    failsAfter.foreach { left =>
      if (left == 0) {
        failsAfter = None
        throw new IllegalStateException("the inbox is full")
      }
      failsAfter = Some(left - 1)
    }
    arrived += chunk.name -> row
    asking += chunk.query
  }

  /** Rows by the names of their chunks. */
  def arrivals: Seq[(String, String)] = synchronized(arrived.toVector)

  def rows: Seq[String] = synchronized(arrived.map(_._2).toVector)

  def chunks: Set[String] = synchronized(arrived.map(_._1).toSet)

  def queries: Set[String] = synchronized(asking.toSet)

  def has(chunk: Chunk): Boolean = synchronized(arrived.count(_._1 == chunk.name) == chunk.rows)
}

object InMemoryTarget {
  private val all = new ConcurrentHashMap[String, InMemoryTarget]().asScala

  def named(name: String): InMemoryTarget = all.getOrElseUpdate(name, new InMemoryTarget)
}

/** Sends the first column. */
class InboxSender extends RowSender {
  override def target(options: JMap[String, String]): String =
    s"inbox ${Option(options.get("inbox")).getOrElse(throw new IllegalArgumentException("inbox is not set"))}"

  override def open(options: JMap[String, String], schema: StructType): RowTarget = new RowTarget {
    private val inbox = InMemoryTarget.named(options.get("inbox"))

    override def send(chunk: Chunk, rows: ChunkRows): Boolean = {
      rows.iterator.foreach(row => inbox.take(chunk, row.getUTF8String(0).toString))
      options.getOrDefault("answers", "true").toBoolean
    }

    override def has(chunk: Chunk): ArrivalStatus =
      if (options.get("remembers") != "yes") ArrivalStatus.Unknown
      else if (inbox.has(chunk)) ArrivalStatus.Arrived
      else ArrivalStatus.Missing

    override def close(): Unit = ()
  }
}
