// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.concurrent.atomic.AtomicInteger

/** A fault in a commit to a table. */
private[stoplog] sealed trait CommitFault

private[stoplog] object CommitFault {

  /** The system commits, and the answer is lost. */
  case object LostAnswer extends CommitFault

  /** The system does not receive the commit. */
  case object LostCommit extends CommitFault

  /** The system commits, and reports a conflict. */
  case object FalseConflict extends CommitFault

  /** The system commits after the caller has stopped waiting.
    *
    * @param hold receives the late commit
    */
  final case class Late(hold: (() => Unit) => Unit) extends CommitFault

  /** Another action precedes the commit. */
  final case class Before(other: () => Unit) extends CommitFault
}

/** The commits of a target; the first commit has a fault.
  *
  * @param unknown  creates the system's exception for an unknown outcome
  * @param conflict creates the system's exception for a conflict
  */
private[stoplog] final class FaultyCommits(
    fault: CommitFault,
    unknown: => Exception,
    conflict: => Exception
) {
  private val commits = new AtomicInteger

  def apply[A](commit: => A): A =
    if (commits.getAndIncrement() > 0) commit
    else
      fault match {
        case CommitFault.LostAnswer =>
          commit: Unit
          throw unknown
        case CommitFault.LostCommit    => throw unknown
        case CommitFault.FalseConflict =>
          commit: Unit
          throw conflict
        case CommitFault.Late(hold) =>
          hold(() => commit: Unit)
          throw unknown
        case CommitFault.Before(other) =>
          other()
          commit
      }
}
