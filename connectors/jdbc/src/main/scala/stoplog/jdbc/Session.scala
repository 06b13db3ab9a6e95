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
      case e: Throwable => // of whatever kind: what is under way must not be committed later, with other work
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

  /** Runs a statement in the transaction under way, with texts and whole numbers as its parameters.
    *
    * @return how many rows it has changed
    */
  def update(sql: String, parameters: Any*): Long = bound(sql, parameters).executeUpdate().toLong

  /** Asks in the transaction under way; the result is before its first row. */
  def query[A](sql: String, parameters: Any*)(read: ResultSet => A): A =
    Using.resource(bound(sql, parameters).executeQuery())(read)

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

  /** Ends the connection, and what is under way: some databases commit that when a connection is closed. The next transaction
    * opens another.
    */
  override def close(): Unit = {
    forget()
    current.foreach { connection =>
      Try(connection.rollback())
      Try(connection.close())
    }
    current = None
  }

  // Derby's MERGE keeps rows of an execution that has failed, and tries them again with the next.
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

  /** Work with a session of its own, which ends with it. */
  def use[A](open: () => Session, target: Target)(work: Session => A): A = {
    val session = open()
    try work(session)
    catch { case e: SQLException => throw target.writeFailed(e) }
    finally session.close()
  }
}

/** Connections as Spark's own `jdbc` format opens them: its drivers, Kerberos and connection providers. */
private[jdbc] final class SparkConnector(options: Map[String, String]) extends ConnectionSource {
  @transient private lazy val connect: Int => Connection = {
    val parsed = new JDBCOptions(options)
    JdbcDialects.get(parsed.url).createConnectionFactory(parsed)
  }

  // For any partition. Drivers repeat what they were told, above all what they cannot read.
  override def open(): Connection =
    try connect(-1)
    catch { case NonFatal(e) => throw Redaction.of(options).cause(e) }
}

/** The tries of one task, or of the driver: they repeat what failed for a reason that may pass.
  *
  * @param pause waits for so many milliseconds
  */
private[jdbc] final class Retries(
    requests: RequestOptions,
    dialect: Dialect,
    pause: Long => Unit = Thread.sleep(_)
) {
  private[this] val backoff = Backoff(requests.retryWaitMillis, mostMillis = 30_000)
  private[this] val again   = new AtomicLong()

  /** The number of further tries. */
  def count: Long = again.get

  /** @param action is told how many tries were before it
    * @param failed makes the error when the last try has failed for a reason that might have passed
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
    catch { case NonFatal(e) if Verdict.of(e, dialect) == Verdict.Transient => Left(e) }
}

/** The meaning of a database's failure for the sink. */
private[jdbc] sealed trait Verdict

private[jdbc] object Verdict {

  /** Another try may succeed: the connection was lost, the server is full or starting, or another one was first. */
  case object Transient extends Verdict

  /** A row is wrong, and will be wrong at each try. */
  case object BadRow extends Verdict

  /** Anything else. */
  case object Fatal extends Verdict

  /** A batch fails with an exception that has those of its rows behind it. */
  def of(failure: Throwable, dialect: Dialect): Verdict = {
    val each = chain(failure).map(one(_, dialect))
    if (each.contains(Transient)) Transient else if (each.contains(BadRow)) BadRow else Fatal
  }

  /** Whether a key is there already. */
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

  private def one(failure: SQLException, dialect: Dialect): Verdict =
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

  // One key twice in a statement; values; constraints; views with check; what a trigger says, in two databases.
  private val BadRowStates = Seq("21", "22", "23", "44", "45", "P0001")

  private final val LongestChain = 100
}
