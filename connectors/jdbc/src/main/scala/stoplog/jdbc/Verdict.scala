// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql._

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
