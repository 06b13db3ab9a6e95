// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.SimpleStatement
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.CassandraOptions

/** The pieces of a table, each of which is divided into splits. */
private[cassandra] final case class SplitPlan(pieces: Vector[SplitPlan.Piece]) {
  def splits: Long = pieces.map(_.count.toLong).sum
}

private[cassandra] object SplitPlan {

  /** @param bytes the size of the whole piece; 0 if the nodes have no estimate
    * @param count the number of splits of the piece
    */
  final case class Piece(span: TokenSpan, bytes: Long, hosts: Vector[String], count: Int) {
    def split(part: Int): TokenSplit = TokenSplit(span.piece(part, count), bytes / count, hosts)
  }

  /** Tokens that are on the same nodes. */
  final case class Owned(span: TokenSpan, hosts: Vector[String])

  /** @param ring          all tokens, grouped by their nodes
    * @param tableBytes    the size estimated by the nodes; `None` if unknown, as for a small table or a table
    *                      written in the last minutes
    * @param maxSplitBytes the target size of a split
    * @param tasks         the number of tasks that can run in parallel
    */
  def of(ring: Vector[Owned], tableBytes: Option[Long], maxSplitBytes: Long, tasks: Int): SplitPlan = {
    val bytes = tableBytes.getOrElse(0L)
    val count = tableBytes.fold(tasks.toLong)(splitCount(_, maxSplitBytes, tasks))
    if (count < ring.size || ring.isEmpty) {
      // With the nodes' own ranges, there would be too many splits for the size of the table. Then any node
      // coordinates the reads.
      SplitPlan(Vector(Piece(TokenSpan.Ring, bytes, Vector.empty, count.max(1).toInt)))
    } else SplitPlan(ring.sortBy(_.hosts.headOption).map(piece(_, bytes, count)))
  }

  /** Returns the number of splits: the table's size divided by the requested size, but at least the number of
    * parallel tasks if the table is large enough. For very many splits, the number grows logarithmically.
    * With a fixed limit, a growing table would eventually fail its query, or the size of its splits would
    * jump.
    */
  private[read] def splitCount(tableBytes: Long, maxSplitBytes: Long, tasks: Int): Long = {
    val bySize = tableBytes / maxSplitBytes + (if (tableBytes % maxSplitBytes > 0) 1 else 0)
    val many   = ManyPerTask * tasks.max(1)
    if (bySize <= many) bySize.max(tasks.toLong.min(tableBytes / WorthATask)).max(1)
    else (many * (1 + math.log(bySize.toDouble / many))).toLong.min(MostSplits)
  }

  private final val WorthATask = 1L << 20

  private final val ManyPerTask = 200L

  // Spark's driver keeps all splits in memory.
  private final val MostSplits = 1000000L

  private def piece(owned: Owned, tableBytes: Long, splits: Long): Piece = {
    def share(of: Long) = (BigInt(of) * owned.span.width / TokenSpan.Ring.width).toLong
    Piece(owned.span, share(tableBytes), owned.hosts, share(splits).max(1).min(owned.span.mostPieces).toInt)
  }
}

/** Groups small splits of the same nodes into one task. */
private[cassandra] object SplitGroups {

  /** Groups splits in their order; splits of unknown size form their own groups.
    *
    * @param maxBytes the maximum size of a task's group
    */
  def of(splits: Vector[CassandraSplit], maxBytes: Long): Vector[Vector[CassandraSplit]] = {
    val groups = Vector.newBuilder[Vector[CassandraSplit]]
    var group  = Vector.empty[CassandraSplit]
    splits.foreach { split =>
      if (group.nonEmpty && !fits(group, split, maxBytes)) {
        groups += group
        group = Vector.empty
      }
      group :+= split
    }
    if (group.nonEmpty) groups += group
    groups.result()
  }

  def hosts(split: CassandraSplit): Vector[String] = split match {
    case tokens: TokenSplit => tokens.hosts
    case _: KeySplit        => Vector.empty
  }

  private def fits(group: Vector[CassandraSplit], split: CassandraSplit, maxBytes: Long): Boolean =
    split.size.bytes > 0 && hosts(split) == hosts(group.head) &&
      group.map(_.size.bytes).sum + split.size.bytes <= maxBytes
}

/** A range of tokens from `after`, exclusive, to `until`, inclusive. The tokens are Murmur3 tokens: all
  * 64-bit integers except the minimum, which no partition has. A span does not wrap around the end of the
  * ring.
  */
private[cassandra] final case class TokenSpan(after: Long, until: Long) {
  require(after < until, s"($after, $until] is empty")

  /** The number of tokens. */
  def width: BigInt = BigInt(until) - BigInt(after)

  /** Returns the piece number `part` of `of` pieces with almost equal widths. */
  def piece(part: Int, of: Int): TokenSpan = TokenSpan(border(part, of), border(part + 1, of))

  /** The maximum number of pieces. */
  def mostPieces: Int = width.min(BigInt(Int.MaxValue)).toInt

  override def toString: String = s"($after, $until]"

  private def border(part: Int, of: Int): Long = (BigInt(after) + width * part / of).toLong
}

private[cassandra] object TokenSpan {

  /** All tokens. */
  val Ring: TokenSpan = TokenSpan(Long.MinValue, Long.MaxValue)

  /** Returns the spans of a range of the ring: two spans if the range wraps around the end. A range from a
    * token to the same token is the whole ring.
    */
  def of(start: Long, end: Long): Seq[TokenSpan] =
    if (start < end) Seq(TokenSpan(start, end))
    else
      Option.when(start < Long.MaxValue)(TokenSpan(start, Long.MaxValue)).toSeq ++
        Option.when(end > Long.MinValue)(TokenSpan(Long.MinValue, end))
}

/** Table size estimates from `system.size_estimates`; reads no rows. */
private[cassandra] object TableSize {

  /** A node's estimate of some of its tokens. */
  final case class Estimate(span: Seq[TokenSpan], partitions: Long, meanBytes: Long)

  /** Returns the size of the whole table in bytes, extrapolated from the estimate of one node for its own
    * tokens.
    */
  def estimated(session: CqlSession, table: CassandraOptions): Option[Long] = {
    val query = SimpleStatement.newInstance(
      "SELECT range_start, range_end, partitions_count, mean_partition_size FROM system.size_estimates " +
        "WHERE keyspace_name = ? AND table_name = ?",
      table.table.keyspace,
      table.table.name
    )
    total(session.execute(query.setIdempotent(true)).asScala.toSeq.map { row =>
      val span = TokenSpan.of(row.getString(0).toLong, row.getString(1).toLong)
      Estimate(span, row.getLong(2), row.getLong(3))
    })
  }

  private[read] def total(estimates: Seq[Estimate]): Option[Long] = {
    val width = estimates.flatMap(_.span).map(_.width).sum
    val bytes = estimates.map(each => BigInt(each.partitions) * each.meanBytes).sum
    Option.when(width > 0 && bytes > 0)(
      (bytes * TokenSpan.Ring.width / width).min(BigInt(Long.MaxValue)).toLong
    )
  }

  /** Returns all tokens with their nodes; empty if token metadata is disabled in the driver. Error:
    * `STOPLOG_CASSANDRA_TABLE` for any partitioner except Murmur3.
    */
  def ring(session: CqlSession, table: CassandraOptions): Vector[SplitPlan.Owned] =
    session.getMetadata.getTokenMap
      .map[Vector[SplitPlan.Owned]] { tokens =>
        if (!tokens.getPartitionerName.endsWith("Murmur3Partitioner"))
          throw CassandraErrors.table(
            table.table.toString,
            s"its cluster has the partitioner ${tokens.getPartitionerName}, and only Murmur3Partitioner " +
              "can be read"
          )
        tokens.getTokenRanges.asScala.toVector.flatMap { range =>
          val hosts = tokens
            .getReplicas(table.table.keyspace, range)
            .asScala
            .toVector
            .flatMap(node => Option(node.getBroadcastAddress.orElse(null)).map(_.getHostString))
            .sorted
          (range.getStart, range.getEnd) match {
            case (start: Murmur3Token, end: Murmur3Token) =>
              TokenSpan.of(start.getValue, end.getValue).map(SplitPlan.Owned(_, hosts))
            case _ => Nil
          }
        }
      }
      .orElse(Vector.empty)
}
