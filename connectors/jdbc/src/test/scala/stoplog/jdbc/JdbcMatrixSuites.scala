// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.fault.Step
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}

/** Exactly-once inserts, stopped at each step. */
class InsertsMatrixSuite extends ConnectorMatrixSuite(MatrixSection.DatabaseInserts) {

  override protected def about: String =
    "`writeMode` = `transactional` on Derby and PostgreSQL, read by plain JDBC. A process that repeats an epoch has another " +
      "number of tasks than the one before. At no time is a part of an epoch there, and in the end nothing is staged any more. " +
      s"A process that sleeps in the middle of a commit (`${JdbcStep.InCommit.name}`) holds the lock of the sink's row: its " +
      "successor waits until it goes on, dies, or the server gives it up."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq(
    "Derby"      -> (() => new InsertsWorld(JdbcMatrixSuites.derby)),
    "PostgreSQL" -> (() => new InsertsWorld(TestDatabase.postgres))
  )

  override protected def steps: Vector[Step] = JdbcStep.all

  override protected def sampled(step: Step, fate: CrashMode): Boolean = true

  override protected def holding: Set[Step] = Set(JdbcStep.InCommit)

  testMatrix()
}

/** Upserts, stopped at each step. */
class UpsertsMatrixSuite extends ConnectorMatrixSuite(MatrixSection.DatabaseUpserts) {

  override protected def about: String =
    "`writeMode` = `upsert` on Derby and PostgreSQL, read by plain JDBC. Each epoch says something new of the same keys. " +
      "Nothing fences upserts: a process that wakes writes the rest of its epoch over what newer ones wrote " +
      "([databases](../beyond-files/jdbc.md#two-ways-to-write))."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq(
    "Derby"      -> (() => new UpsertsWorld(JdbcMatrixSuites.derby)),
    "PostgreSQL" -> (() => new UpsertsWorld(TestDatabase.postgres))
  )

  override protected def steps: Vector[Step] = Vector(JdbcStep.BatchSent, JdbcStep.TaskDone)

  override protected def fates: Vector[CrashMode] = Vector(CrashMode.Killed)

  override protected def sampled(step: Step, fate: CrashMode): Boolean = true

  override protected def result(step: Step, fate: CrashMode): String = ConnectorRows.Upserts.result

  override protected def after(step: Step): String = step match {
    case JdbcStep.BatchSent => "one more batch of a task in the target"
    case _                  => "all rows of a task in the target; the driver has not heard of it"
  }

  testMatrix()
}

private object JdbcMatrixSuites {
  lazy val derby: TestDatabase = TestDatabase.derby()
}
