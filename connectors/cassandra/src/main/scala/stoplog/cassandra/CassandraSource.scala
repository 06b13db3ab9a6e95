// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.cassandra.options.CassandraOptions
import stoplog.error.Redaction

/** A table of Cassandra's as a DataFrame, fully set.
  *
  * {{{
  * val source = CassandraSource
  *   .forTable("10.0.0.1,10.0.0.2", "shop", "orders")
  *   .withMaxSplitMemorySize("128m")
  *   .build()
  *
  * source.read(spark).where("customer = 7").show()
  * }}}
  *
  * Immutable. The same options can be set one by one on `format("stoplog-cassandra")`; they are listed in
  * `docs/reference/cassandra-options.md`.
  */
final class CassandraSource private[cassandra] (settings: Map[String, String]) {

  /** The options that stand for this source, as they were set. */
  def options(): JMap[String, String] = settings.asJava

  /** The table as it is when the DataFrame is worked on. */
  def read(spark: SparkSession): DataFrame =
    spark.read.format(CassandraSink.Format).options(settings).load()

  override def equals(other: Any): Boolean = other match {
    case that: CassandraSource => options() == that.options()
    case _                     => false
  }

  override def hashCode: Int = settings.hashCode

  override def toString: String = Redaction.options("CassandraSource", settings)
}

object CassandraSource {

  /** A source of a table.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSourceBuilder =
    CassandraSourceBuilder(
      Map("contactPoints" -> contactPoints, "keyspace" -> keyspace, "table" -> table)
    )

  /** The source that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): CassandraSource = {
    CassandraOptions.parse(options)
    new CassandraSource(options.asScala.toMap)
  }
}

/** Sets a [[CassandraSource]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class CassandraSourceBuilder private (options: Map[String, String]) {

  /** Who the session is. */
  def withCredentials(username: String, password: String): CassandraSourceBuilder =
    withOption("username", username).withOption("password", password)

  /** The data center whose nodes are asked; that of the contact points by default. */
  def withLocalDatacenter(name: String): CassandraSourceBuilder = withOption("localDatacenter", name)

  /** How many replicas must have answered when a row counts as read; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSourceBuilder = withOption("consistency", level)

  /** What columns are called in the rows, where that differs: rows' column to table's column. */
  def withColumnMapping(columns: (String, String)*): CassandraSourceBuilder =
    withOption("columnMapping", columns.map { case (row, table) => s"$row=$table" }.mkString(","))

  /** How much of the table a split has about, such as `256m`; `64m` by default. */
  def withMaxSplitMemorySize(size: String): CassandraSourceBuilder = withOption("maxSplitMemorySize", size)

  /** How many rows a node is asked for at a time; 5000 by default. */
  def withPageRows(rows: Int): CassandraSourceBuilder = withOption("pageRows", rows.toString)

  /** Any option by its name: of the source, or `datastax-java-driver.…` of the driver. */
  def withOption(key: String, value: String): CassandraSourceBuilder =
    new CassandraSourceBuilder(options + (key -> value))

  /** The source.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): CassandraSource = CassandraSource.fromOptions(options.asJava)
}

private[cassandra] object CassandraSourceBuilder {
  def apply(options: Map[String, String]): CassandraSourceBuilder = new CassandraSourceBuilder(options)
}
