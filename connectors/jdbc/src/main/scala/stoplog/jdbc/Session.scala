// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql._
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions
import org.apache.spark.sql.jdbc.JdbcDialects

import stoplog.error.Redaction
import stoplog.thread.Backoff

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
    */
  def savepoint[A](work: => A): A = {
    val connection = opened()
    val before     = connection.setSavepoint()
    val result     =
      try work
      catch {
        case NonFatal(e) =>
          forget()
          // If the connection is lost, the transaction fails as a whole.
          Try(connection.rollback(before))
          throw e
      }
    Try(connection.releaseSavepoint(before)) // some databases reject the release as unnecessary
    result
  }

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

  /** Runs `work` in a new session and closes the session afterwards. */
  def use[A](open: () => Session, target: Target)(work: Session => A): A = {
    val session = open()
    try work(session)
    catch { case e: SQLException => throw target.writeFailed(e) }
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

/** Retries transient failures of a task or of the driver.
  *
  * @param pause waits for the given number of milliseconds
  */
private[jdbc] final class Retries(
    requests: RequestOptions,
    dialect: Dialect,
    pause: Long => Unit = Thread.sleep(_)
) {
  private[this] val backoff = Backoff(requests.retryWaitMillis, mostMillis = 30_000)
  private[this] val again   = new AtomicLong()

  /** The number of retries. */
  def count: Long = again.get

  /** @param action called with the number of previous attempts
    * @param failed creates the error after the last attempt has failed with a transient failure
    */
  def apply[A](failed: Throwable => Throwable)(action: Int => A): A = {
    @tailrec
    def go(before: Int): A =
      attempt(before, action) match {
        case Right(result)                              => result
        case Left(e) if before + 1 >= requests.maxTries => throw failed(e)
        case Left(_)                                    =>
          again.incrementAndGet()
          pause(backoff.pauseMillis(before + 1))
          go(before + 1)
      }
    go(0)
  }

  private def attempt[A](before: Int, action: Int => A): Either[Throwable, A] =
    try Right(action(before))
    catch { case NonFatal(e) if FailureKind.of(e, dialect) == FailureKind.Transient => Left(e) }
}

/** The meaning of a database failure for the sink. */
private[jdbc] sealed trait FailureKind

private[jdbc] object FailureKind {

  /** Another attempt may succeed: the connection was lost, the server is full or starting, or another
    * transaction was first.
    */
  case object Transient extends FailureKind

  /** A row is invalid in every attempt. */
  case object BadRow extends FailureKind

  /** Any other failure. */
  case object Fatal extends FailureKind

  /** Classifies a failure. The exception of a batch is chained to the exceptions of its rows. */
  def of(failure: Throwable, dialect: Dialect): FailureKind = {
    val each = chain(failure).map(one(_, dialect))
    if (each.contains(Transient)) Transient else if (each.contains(BadRow)) BadRow else Fatal
  }

  /** Returns true if the failure is a duplicate key. */
  def isDuplicateKey(failure: Throwable): Boolean = chain(failure).exists(_.getSQLState == "23505")

  private def chain(failure: Throwable): Seq[SQLException] = {
    def next(e: Throwable): Seq[Throwable] = e match {
      case sql: SQLException => Seq(sql.getNextException, sql.getCause)
      case other             => Seq(other.getCause)
    }
    @scala.annotation.tailrec
    def go(open: Seq[Throwable], seen: Vector[Throwable]): Vector[Throwable] = open match {
      case Seq()                                                     => seen
      case first +: rest if first == null || seen.exists(_ eq first) => go(rest, seen)
      case first +: rest if seen.size < LongestChain                 => go(rest ++ next(first), seen :+ first)
      case _                                                         => seen
    }
    go(Seq(failure), Vector.empty).collect { case sql: SQLException => sql }
  }

  private def one(failure: SQLException, dialect: Dialect): FailureKind =
    dialect.verdict(failure).getOrElse {
      val state = Option(failure.getSQLState).getOrElse("")
      if (TransientStates.exists(state.startsWith)) Transient
      else
        failure match {
          case _: SQLTransientException | _: SQLRecoverableException             => Transient
          case _: SQLDataException | _: SQLIntegrityConstraintViolationException => BadRow
          case _ if BadRowStates.exists(state.startsWith)                        => BadRow
          case _                                                                 => Fatal
        }
    }

  // Connections; serialization and deadlock; resources; PostgreSQL: locks, and a server that stops or starts.
  private val TransientStates = Seq("08", "40", "53", "55P03", "57P01", "57P02", "57P03")

  // A key twice in a statement; values; constraints; views with check; errors of triggers, in two databases.
  private val BadRowStates = Seq("21", "22", "23", "44", "45", "P0001")

  private final val LongestChain = 100
}
