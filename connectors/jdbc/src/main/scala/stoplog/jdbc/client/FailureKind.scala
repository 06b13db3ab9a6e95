// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql._

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
  def of(failure: Throwable, codes: FailureCodes): FailureKind = {
    val failures = chain(failure)
    val each     = failures.map(one(_, codes))
    // A deadlock of MySQL ends the transaction, so that the rollback to a savepoint fails, too.
    val first = failures.flatMap(_.getSuppressed.toSeq).flatMap(chain(_)).map(one(_, codes))
    if ((each ++ first).contains(Transient)) Transient else if (each.contains(BadRow)) BadRow else Fatal
  }

  /** Returns true if the database has ended the current transaction, or accepts only a rollback. Some drivers
    * do not report that a rollback to a savepoint fails.
    */
  def endsTransaction(failure: Throwable): Boolean =
    chain(failure).exists(e => e.getSQLState == RolledBackByConstraint || FailureCodes.endsOnSqlServer(e))

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

  private def one(failure: SQLException, codes: FailureCodes): FailureKind =
    codes.kind(failure).getOrElse {
      val state = Option(failure.getSQLState).getOrElse("")
      if (state == RolledBackByConstraint) BadRow
      else if (TransientStates.exists(state.startsWith)) Transient
      else
        failure match {
          case _: SQLTransientException | _: SQLRecoverableException             => Transient
          case _: SQLDataException | _: SQLIntegrityConstraintViolationException => BadRow
          case _ if BadRowStates.exists(state.startsWith)                        => BadRow
          case _                                                                 => Fatal
        }
    }

  // The state of the standard for a COMMIT that finds a violated constraint.
  private final val RolledBackByConstraint = "40002"

  // Connections; serialization and deadlock; resources; PostgreSQL: locks, and a server that stops or starts.
  private val TransientStates = Seq("08", "40", "53", "55P03", "57P01", "57P02", "57P03")

  // A key twice in a statement; values; constraints; views with check; errors of triggers, in two databases.
  private val BadRowStates = Seq("21", "22", "23", "44", "45", "P0001")

  private final val LongestChain = 100
}
