// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.Configured
import stoplog.cassandra.options.CassandraOptions

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
final class CassandraSource private[cassandra] (settings: Map[String, String]) extends Configured(settings) {

  /** The table as it is when the DataFrame is worked on. */
  def read(spark: SparkSession): DataFrame =
    spark.read.format(CassandraSink.Format).options(settings).load()
}

object CassandraSource {

  /** A source of a table.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSourceBuilder =
    new CassandraSourceBuilder(
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
final class CassandraSourceBuilder private[cassandra] (options: Map[String, String]) {

  /** The user of the session, and its password. */
  def withCredentials(username: String, password: String): CassandraSourceBuilder =
    withOption("username", username).withOption("password", password)

  /** The data center whose nodes are asked; that of the contact points by default. */
  def withLocalDatacenter(name: String): CassandraSourceBuilder = withOption("localDatacenter", name)

  /** The replicas that must have answered when a row counts as read; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSourceBuilder = withOption("consistency", level)

  /** The columns of rows and table that belong together, where their names differ: rows' column to table's column. */
  def withColumnMapping(columns: (String, String)*): CassandraSourceBuilder =
    withOption("columnMapping", columns.map { case (row, table) => s"$row=$table" }.mkString(","))

  /** The approximate size of a split, such as `256m`; `64m` by default. */
  def withMaxSplitMemorySize(size: String): CassandraSourceBuilder = withOption("maxSplitMemorySize", size)

  /** The rows that a node is asked for at a time; 5000 by default. */
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
