// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.UUID

import stoplog.fault.Step
import stoplog.format.SparkSessionForTests
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}

/** A query that sends to a target which helps in nothing, with its notes in the log: stopped at each step. */
class WriteAheadMatrixSuite extends ConnectorMatrixSuite(MatrixSection.WriteAhead) with SparkSessionForTests {
  import WriteAheadMatrixSuite._

  override protected def about: String =
    "A sender to a target without support for exactly once, such as `sender=http` and custom " +
      "senders, with the notes in the log (`committer=files`). Each epoch has two or three tasks, and " +
      "therefore chunks. The log is on local disks, and contains a chunk of an earlier dead process " +
      s"""when the query starts. "$Again" means: every row of every epoch arrived, and the rows of a """ +
      "single chunk arrived again, completely and under the same name, by which the target can " +
      "recognize the chunk."

  override protected def targets: Seq[(String, () => ConnectorWorld)] =
    Seq("any target" -> (() => { spark; new InboxWorld(UUID.randomUUID().toString) }))

  override protected def steps: Vector[Step] = WriteAheadWords().map(_._1)

  // The log and the notes are in the checkpoint.
  override protected def remembersEpochs: Boolean = false

  override protected def after(step: Step): String = WriteAheadWords().toMap.apply(step)

  override protected def sampled(step: Step, fate: CrashMode): Boolean = true

  override protected def result(step: Step, fate: CrashMode): String = (step, fate) match {
    case (WriteAheadStep.AfterSend, _) => Again
    case _                             => ConnectorRows.Inserts.result
  }

  testMatrix()
}

private object WriteAheadMatrixSuite {
  val Again = "a chunk again"

  final class InboxWorld(name: String)
      extends WriteAheadWorld(
        Map("sender" -> classOf[InboxSender].getName, "inbox" -> name),
        _ => new InboxSender,
        ConnectorRows.Inserts
      ) {

    /** What was sent twice under one name is there once for who knows the names. */
    override protected def found(): Seq[ConnectorRows.Row] =
      arrivals.distinct.map { case (_, word) => word.drop(1).toLong -> word }

    override def result: String = if (arrivals.distinct == arrivals) super.result else Again

    private def arrivals = InMemoryTarget.named(name).arrivals
  }
}
