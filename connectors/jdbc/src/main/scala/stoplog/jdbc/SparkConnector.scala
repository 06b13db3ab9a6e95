// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.Connection

import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions
import org.apache.spark.sql.jdbc.JdbcDialects

/** Connections as Spark's own `jdbc` format opens them: its drivers, Kerberos and connection providers. */
private[jdbc] final class SparkConnector(options: Map[String, String]) extends Connector {
  @transient private lazy val connect: Int => Connection = {
    val parsed = new JDBCOptions(options)
    JdbcDialects.get(parsed.url).createConnectionFactory(parsed)
  }

  override def open(): Connection = connect(SparkConnector.AnyPartition)
}

private[jdbc] object SparkConnector {
  private final val AnyPartition = -1
}
