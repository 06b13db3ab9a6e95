// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Connection, PreparedStatement}

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions
import org.apache.spark.sql.jdbc.JdbcDialects

import stoplog.error.Redaction

/** Opens connections: on the driver, and in each task. */
private[jdbc] trait ConnectionSource extends Serializable {
  def open(): Connection
}

/** One connection, opened when it is first needed and anew after a failure. Not for several threads. */
private[jdbc] final class Session(connector: ConnectionSource, queryTimeoutSeconds: Int)
    extends AutoCloseable {
  private[this] var current  = Option.empty[Connection]
  private[this] val prepared = mutable.Map[String, PreparedStatement]()

  /** All of the work, or nothing of it; what a failed COMMIT has done is known to the database alone. */
  def transaction[A](work: Connection => A): A = {
    val connection = opened()
    try {
      val result = work(connection)
      connection.commit()
      result
    } catch {
      case NonFatal(e) =>
        forget()
        if (Try(connection.rollback()).isFailure || Try(!connection.isValid(1)).getOrElse(true)) close()
        throw e
    }
  }

  /** A statement that the connection keeps: servers plan a repeated one only once. */
  def statement(sql: String): PreparedStatement = prepared.getOrElseUpdate(
    sql, {
      val made = opened().prepareStatement(sql)
      if (queryTimeoutSeconds > 0) made.setQueryTimeout(queryTimeoutSeconds)
      made
    }
  )

  /** Work within the transaction under way, which goes on as if it had not been tried when it fails. */
  def savepoint[A](work: => A): A = {
    val connection = opened()
    val before     = connection.setSavepoint()
    val result     =
      try work
      catch {
        case NonFatal(e) =>
          forget()
          // Where there is no connection any more, the transaction fails as a whole.
          Try(connection.rollback(before))
          throw e
      }
    Try(connection.releaseSavepoint(before)) // some databases have no need of it, and refuse
    result
  }

  /** Ends the connection. The next transaction opens another. */
  override def close(): Unit = {
    forget()
    current.foreach(connection => Try(connection.close()))
    current = None
  }

  // Derby's MERGE keeps rows of an execution that has failed, and tries them again with the next.
  private def forget(): Unit = {
    prepared.values.foreach(statement => Try(statement.close()))
    prepared.clear()
  }

  private def opened(): Connection = current.getOrElse {
    val made = connector.open()
    try made.setAutoCommit(false)
    catch {
      case NonFatal(e) =>
        Try(made.close())
        throw e
    }
    current = Some(made)
    made
  }
}

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
