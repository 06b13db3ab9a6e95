// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.fault.Step
import stoplog.jdbc.client.JdbcStep
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}

/** Exactly-once inserts, stopped at each step. */
class InsertsMatrixSuite extends ConnectorMatrixSuite(MatrixSection.DatabaseInserts) {

  override protected def about: String =
    "`writeMode` = `transactional` on Derby and PostgreSQL, read by plain JDBC. A process that " +
      "repeats an epoch has another number of tasks than the process before. A part of an epoch is " +
      "never visible, and in the end no staged rows remain. A process that sleeps in the middle of a " +
      s"commit (`${JdbcStep.InCommit.name}`) holds the lock of the sink's row: the successor waits " +
      "until the process continues, dies, or is dropped by the server."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq(
    "Derby"      -> (() => new InsertsWorld(TestDatabase.derby())),
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
    "`writeMode` = `upsert` on Derby and PostgreSQL, read by plain JDBC. Each epoch writes new " +
      "values of the same keys. Upserts have no fencing: a woken process writes the rest of the epoch " +
      "over rows of newer epochs ([databases](../beyond-files/jdbc.md#two-ways-to-write))."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq(
    "Derby"      -> (() => new UpsertsWorld(TestDatabase.derby())),
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
