// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.cassandra.options.{CassandraOptionRegistry, CassandraOptions}
import stoplog.error.Redaction

/** Rows written to a table of Cassandra's by their keys, fully set. Written again after a crash, they have the same
  * effect.
  *
  * {{{
  * val sink = CassandraSink
  *   .forTable("10.0.0.1,10.0.0.2", "shop", "orders")
  *   .withConsistency("QUORUM")
  *   .withTtl("30d")
  *   .build()
  *
  * sink.writeStream(orders).option("checkpointLocation", "/data/checkpoints/orders").start()
  * }}}
  *
  * Immutable. The same options can be set one by one on `format("stoplog-cassandra")`; they are listed in
  * `docs/reference/cassandra-options.md`.
  */
final class CassandraSink private[cassandra] (settings: Map[String, String]) {

  /** The options that stand for this sink, as they were set. */
  def options(): JMap[String, String] = settings.asJava

  /** A stream writer with everything of the sink set; the checkpoint, trigger and `start()` are the caller's. */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] =
    rows.writeStream.format(CassandraSink.Format).options(settings)

  /** A batch writer; ends with `save()`. */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(CassandraSink.Format).options(settings).mode("append")

  override def equals(other: Any): Boolean = other match {
    case that: CassandraSink => options() == that.options()
    case _                   => false
  }

  override def hashCode: Int = settings.hashCode

  override def toString: String = Redaction.options("CassandraSink", settings)
}

object CassandraSink {

  /** What to give to `format(…)` for a read or a write without a builder. */
  val Format: String = "stoplog-cassandra"

  /** A sink into a table that exists.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSinkBuilder =
    CassandraSinkBuilder(
      Map("contactPoints" -> contactPoints, "keyspace" -> keyspace, "table" -> table)
    )

  /** A sink into a table that exists, by a statement whose places the rows' columns fill in their order.
    *
    * {{{
    * CassandraSink.withQuery("10.0.0.1", "INSERT INTO shop.orders (id, total) VALUES (?, ?)")
    * }}}
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def withQuery(contactPoints: String, query: String): CassandraSinkBuilder =
    CassandraSinkBuilder(Map("contactPoints" -> contactPoints, "query" -> query))

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): CassandraSink = {
    CassandraOptions.parse(options)
    new CassandraSink(options.asScala.toMap)
  }

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = CassandraOptionRegistry.all.map(_.key).asJava
}
