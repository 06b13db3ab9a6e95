// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import stoplog.fault.{ConnectorSteps, Step}

/** The steps of a database sink, in addition to the steps of every sink in [[stoplog.fault.Step]]. */
private[jdbc] object JdbcStep {
  case object BeforeClaim
      extends Step("jdbcBeforeClaim", "the tables of the sink exist; the run does not own its row")
  case object AfterClaim
      extends Step("jdbcAfterClaim", "older drivers are fenced; staged rows of dead attempts remain")
  case object AfterSweep extends Step("jdbcAfterSweep", "older drivers are fenced, and nothing is staged")
  case object BatchSent
      extends Step("jdbcBatchSent", "one more batch of a task committed: staged, or in the target by key")
  case object TaskDone
      extends Step(
        "jdbcTaskDone",
        "all rows of a task committed as above; the driver has not received the result"
      )
  case object BeforeCommit
      extends Step("jdbcBeforeCommit", "all tasks' rows staged, none of them in the target")
  case object InCommit
      extends Step("jdbcInCommit", "rows moved to the target in a transaction that is still open")
  case object AfterCommit
      extends Step("jdbcAfterCommit", "the epoch is in the target; Spark has not received the commit")

  val all: Vector[Step] =
    Vector(BeforeClaim, AfterClaim, AfterSweep, BatchSent, TaskDone, BeforeCommit, InCommit, AfterCommit)
}

/** Discovered by [[stoplog.fault.Step.all]]. */
final class JdbcSteps extends ConnectorSteps {
  override def all: Vector[Step] = JdbcStep.all
}
