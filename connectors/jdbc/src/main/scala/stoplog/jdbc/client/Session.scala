// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql._

import scala.collection.mutable
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions
import org.apache.spark.sql.jdbc.JdbcDialects

import stoplog.error.Redaction

/** Opens connections: on the driver, and in each task. */
private[jdbc] trait ConnectionSource extends Serializable {
  def open(): Connection
}

/** A connection that is opened at the first use, and reopened after a failure. Not thread-safe. */
private[jdbc] final class Session(connector: ConnectionSource, queryTimeoutSeconds: Int)
    extends AutoCloseable {
  private[this] var current  = Option.empty[Connection]
  private[this] val prepared = mutable.Map[String, PreparedStatement]()

  /** Runs the work atomically in a transaction. After a failed COMMIT, only the database knows the outcome.
    */
  def transaction[A](work: Connection => A): A = {
    val connection = opened()
    try {
      val result = work(connection)
      connection.commit()
      result
    } catch {
      // any kind: a later commit with other work must not include the current transaction
      case e: Throwable =>
        forget()
        if (Try(connection.rollback()).isFailure || Try(!connection.isValid(1)).getOrElse(true)) close()
        throw e
    }
  }

  /** Returns a prepared statement that the connection keeps: servers plan a repeated statement only once. */
  def statement(sql: String): PreparedStatement = prepared.getOrElseUpdate(
    sql, {
      val made = opened().prepareStatement(sql)
      if (queryTimeoutSeconds > 0) made.setQueryTimeout(queryTimeoutSeconds)
      made
    }
  )

  /** Runs a statement in the current transaction, with strings and whole numbers as its parameters.
    *
    * @return the number of changed rows
    */
  def update(sql: String, parameters: Any*): Long = bound(sql, parameters).executeUpdate().toLong

  /** Runs a query in the current transaction; the result is positioned before its first row. */
  def query[A](sql: String, parameters: Any*)(read: ResultSet => A): A =
    Using.resource(bound(sql, parameters).executeQuery())(read)

  /** Runs work within the current transaction. If the work fails, the transaction continues without the work.
    * If the database has ended the transaction, the error of the rollback is thrown.
    */
  def savepoint[A](work: => A): A = {
    val connection = opened()
    val before     = connection.setSavepoint()
    val result     =
      try work
      catch {
        case NonFatal(e) =>
          forget()
          try {
            connection.rollback(before)
            if (FailureKind.endsTransaction(e))
              throw new SQLException(s"the database has ended the transaction: ${e.getMessage}", "25000")
          } catch {
            // The transaction fails as a whole: later statements would commit without the earlier rows. The
            // first error is not the cause, because callers reject a bad row and continue.
            case NonFatal(lost) =>
              lost.addSuppressed(e)
              throw lost
          }
          throw e
      }
    Try(connection.releaseSavepoint(before)) // some databases reject the release as unnecessary
    result
  }

  /** Checks deferred constraints of the current transaction now, if the database has them. */
  def checkConstraints(dialect: Dialect): Unit =
    dialect.checkConstraints.foreach(sql => statement(sql).execute())

  /** Rolls back the current transaction and closes the connection: some databases commit when a connection is
    * closed. The next transaction opens another connection.
    */
  override def close(): Unit = {
    forget()
    current.foreach { connection =>
      Try(connection.rollback())
      Try(connection.close())
    }
    current = None
  }

  // Derby's MERGE keeps rows of a failed execution, and executes them again with the next rows.
  private def forget(): Unit = {
    prepared.values.foreach(statement => Try(statement.close()))
    prepared.clear()
  }

  private def bound(sql: String, parameters: Seq[Any]): PreparedStatement = {
    val made = statement(sql)
    parameters.zipWithIndex.foreach {
      case (number: Long, i) => made.setLong(i + 1, number)
      case (text, i)         => made.setString(i + 1, text.asInstanceOf[String])
    }
    made
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

private[jdbc] object Session {

  /** Runs `work` in a new session and closes the session afterwards.
    *
    * @param failed creates the error for a failure of the database
    */
  def use[A](open: () => Session, failed: Throwable => Throwable)(work: Session => A): A = {
    val session = open()
    try work(session)
    catch { case e: SQLException => throw failed(e) }
    finally session.close()
  }
}

/** Opens connections like Spark's own `jdbc` format: with its drivers, Kerberos and connection providers. */
private[jdbc] final class SparkConnector(options: Map[String, String]) extends ConnectionSource {
  @transient private lazy val connect: Int => Connection = {
    val parsed = new JDBCOptions(options)
    JdbcDialects.get(parsed.url).createConnectionFactory(parsed)
  }

  // For any partition. Driver errors may repeat secret input, in particular input that is not parseable.
  override def open(): Connection =
    try connect(-1)
    catch { case NonFatal(e) => throw Redaction.of(options).cause(e) }
}
