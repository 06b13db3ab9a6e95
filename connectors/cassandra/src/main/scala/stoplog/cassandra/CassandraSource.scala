// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.config.DefaultDriverOption
import org.apache.spark.sql.{DataFrame, SparkSession}

import stoplog.Configured
import stoplog.cassandra.client.Connection
import stoplog.cassandra.options.CassandraOptions

/** A configured source that reads a Cassandra table as a DataFrame.
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
  * Immutable. The same options can be set individually on `format("stoplog-cassandra")`; see
  * `docs/reference/cassandra-options.md`.
  */
final class CassandraSource private[cassandra] (settings: Map[String, String]) extends Configured(settings) {

  /** Returns the table as a DataFrame, which reads the table's state at each action. */
  def read(spark: SparkSession): DataFrame =
    spark.read.format(CassandraSink.Format).options(settings).load()
}

object CassandraSource {

  /** Creates a builder of a source for a table.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def forTable(contactPoints: String, keyspace: String, table: String): CassandraSourceBuilder =
    new CassandraSourceBuilder(
      Map("contactPoints" -> contactPoints, "keyspace" -> keyspace, "table" -> table)
    )

  /** Creates a source from its options.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def fromOptions(options: JMap[String, String]): CassandraSource = {
    CassandraOptions.parse(options)
    new CassandraSource(options.asScala.toMap)
  }
}

/** Builds a [[CassandraSource]]. Immutable: each call returns a new builder. Options are checked in
  * [[build]].
  */
final class CassandraSourceBuilder private[cassandra] (options: Map[String, String]) {

  /** Sets the user and the password of the session. */
  def withCredentials(username: String, password: String): CassandraSourceBuilder =
    withOption("username", username).withOption("password", password)

  /** Sets the data center of the queried nodes. The default is the data center of the contact points. */
  def withLocalDatacenter(name: String): CassandraSourceBuilder =
    withOption(CassandraSink.LocalDatacenter, name)

  /** Sets the consistency level of reads; `LOCAL_QUORUM` by default. */
  def withConsistency(level: String): CassandraSourceBuilder = withOption("consistency", level)

  /** Maps columns of the rows to columns of the table with different names. */
  def withColumnMapping(columns: (String, String)*): CassandraSourceBuilder =
    withOption("columnMapping", columns.map { case (row, table) => s"$row=$table" }.mkString(","))

  /** Sets the approximate size of a split, such as `256m`; `64m` by default. */
  def withMaxSplitMemorySize(size: String): CassandraSourceBuilder = withOption("maxSplitMemorySize", size)

  /** Sets the number of rows in a request; 5000 by default. */
  def withPageRows(rows: Int): CassandraSourceBuilder =
    withOption(s"${Connection.DriverPrefix}${DefaultDriverOption.REQUEST_PAGE_SIZE.getPath}", rows.toString)

  /** Sets any option by its name: an option of the source, or `datastax-java-driver.…` for the driver. */
  def withOption(key: String, value: String): CassandraSourceBuilder =
    new CassandraSourceBuilder(options + (key -> value))

  /** Returns the source.
    *
    * @throws stoplog.error.StoplogArgumentException if options are invalid, with all problems at once
    */
  def build(): CassandraSource = CassandraSource.fromOptions(options.asJava)
}
