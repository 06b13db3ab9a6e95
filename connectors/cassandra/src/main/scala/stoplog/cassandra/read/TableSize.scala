// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.SimpleStatement
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.CassandraOptions

/** What the cluster knows of a table without reading it. */
private[cassandra] object TableSize {

  /** One node's estimate of some of its tokens. */
  final case class Estimate(span: Seq[TokenSpan], partitions: Long, meanBytes: Long)

  /** Bytes of the whole table, by what one node says of its own share of it. */
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

  /** All tokens, with the nodes that have them; nothing if the driver was told not to know. Error:
    * `STOPLOG_CASSANDRA_TABLE` for another partitioner than Murmur3.
    */
  def ring(session: CqlSession, table: CassandraOptions): Vector[SplitPlan.Owned] =
    session.getMetadata.getTokenMap
      .map[Vector[SplitPlan.Owned]] { tokens =>
        if (!tokens.getPartitionerName.endsWith("Murmur3Partitioner"))
          throw CassandraErrors.table(
            table.table.toString,
            s"its cluster has the partitioner ${tokens.getPartitionerName}, and only Murmur3Partitioner can be read"
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
