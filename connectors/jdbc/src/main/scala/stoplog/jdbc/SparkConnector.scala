// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.Connection

import scala.util.control.NonFatal

import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions
import org.apache.spark.sql.jdbc.JdbcDialects

import stoplog.error.Redaction

/** Connections as Spark's own `jdbc` format opens them: its drivers, Kerberos and connection providers. */
private[jdbc] final class SparkConnector(options: Map[String, String]) extends ConnectionSource {
  @transient private lazy val connect: Int => Connection = {
    val parsed = new JDBCOptions(options)
    JdbcDialects.get(parsed.url).createConnectionFactory(parsed)
  }

  // Drivers repeat what they were told, above all what they cannot read.
  override def open(): Connection =
    try connect(SparkConnector.AnyPartition)
    catch { case NonFatal(e) => throw Redaction.of(options).cause(e) }
}

private[jdbc] object SparkConnector {
  private final val AnyPartition = -1
}
