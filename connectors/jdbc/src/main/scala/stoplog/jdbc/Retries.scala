// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql._
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.util.control.NonFatal

/** Waits, in milliseconds. Tests have one that does not. */
private[jdbc] trait Pause extends Serializable {
  def apply(millis: Long): Unit
}

private[jdbc] object Pause {
  val sleep: Pause = new Pause {
    override def apply(millis: Long): Unit = Thread.sleep(millis)
  }
}

/** Tries again what failed for a reason that may pass.
  *
  * @param tries      at most, the first included
  * @param waitMillis the first wait is a random time up to this, each further one up to twice as much: tasks that fail
  *                   together must not come back together
  */
private[jdbc] final case class RetryPolicy(tries: Int, waitMillis: Long, pause: Pause)

/** The tries of one task, or of the driver. */
private[jdbc] final class Retries(policy: RetryPolicy, dialect: Dialect) {
  private[this] val again = new AtomicLong()

  /** How often something was tried again. */
  def count: Long = again.get

  /** @param action is told how many tries were before it
    * @param failed makes the error when the last try has failed for a reason that might have passed
    */
  def apply[A](failed: Throwable => Throwable)(action: Int => A): A = {
    @tailrec
    def go(before: Int): A =
      attempt(before, action) match {
        case Right(result)                         => result
        case Left(e) if before + 1 >= policy.tries => throw failed(e)
        case Left(_)                               =>
          again.incrementAndGet()
          policy.pause(1 + ThreadLocalRandom.current().nextLong(limit(before)))
          go(before + 1)
      }
    go(0)
  }

  private def attempt[A](before: Int, action: Int => A): Either[Throwable, A] =
    try Right(action(before))
    catch { case NonFatal(e) if Verdict.of(e, dialect) == Verdict.Transient => Left(e) }

  private def limit(before: Int): Long =
    math.min(policy.waitMillis << math.min(before, 20), Retries.LongestWaitMillis)
}

private[jdbc] object Retries {
  private final val LongestWaitMillis = 30_000L
}

/** What a failure of a database means for the sink. */
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
