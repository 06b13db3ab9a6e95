// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import stoplog.fault.Step
import stoplog.kafka.Broker
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorWorld, CrashMode, MatrixSection}

/** A query stopped at each step, against a real broker: who reads committed records sees each row once, and waits for
  * no dead process.
  */
class KafkaMatrixSuite extends ConnectorMatrixSuite(MatrixSection.Kafka) {

  override protected def about: String =
    "A real broker, read by Kafka's consumer with `isolation.level` = `read_committed`. Each epoch " +
      "has two tasks, each with a separate transaction; two transactions of an earlier dead process " +
      "are open when the query starts. Nothing is left open means: no reader waits for a transaction " +
      "of a dead process. `LivesSuite` tests `onLostTransaction`, timeouts and two concurrent drivers, " +
      "and `BrokerRestartSuite` tests dying brokers."

  override protected def targets: Seq[(String, () => ConnectorWorld)] =
    Seq("Kafka" -> (() => new KafkaWorld(Broker.shared)))

  override protected def steps: Vector[Step] = KafkaMatrixSuite.Words.map(_._1)

  // The log is in the checkpoint, and brokers do not know which batch a transaction was.
  override protected def remembersEpochs: Boolean = false

  override protected def after(step: Step): String = KafkaMatrixSuite.Words.toMap.apply(step)

  override protected def sampled(step: Step, fate: CrashMode): Boolean = fate match {
    case CrashMode.Woken => step == Step.AfterSync
    case _               => KafkaMatrixSuite.Sample(step)
  }

  testMatrix()
}

private object KafkaMatrixSuite {

  /** On both sides of what makes rows durable, and of what decides. */
  val Sample: Set[Step] = Set(
    Step.AfterClaim,
    Step.AfterSync,
    Step.BeforeRecord,
    Step.AfterRecord,
    Step.PartPublished,
    Step.AfterPublish
  )

  val Words: Vector[(Step, String)] = Vector(
    Step.BeforeRepublish -> "the newest record may name transactions that are still open",
    Step.BeforeClaim     -> "everything in the newest record is committed; no claim",
    Step.AfterClaim      -> "a claim; older drivers are fenced; transactions of dead tasks are still open",
    Step.MidSweep        -> "one more open transaction of a dead task is aborted",
    Step.PartOpened      -> "a transaction without a row",
    Step.MidWrite        -> "some of a task's rows in an open transaction",
    Step.BeforeSync      -> "all rows of the task sent, not all acknowledged",
    Step.AfterSync       -> "all rows of the task acknowledged; their transaction is open, and in no record",
    Step.BeforeRecord    -> "all tasks' transactions open, in no record",
    Step.RecordWritten   -> Step.RecordWritten.after,
    Step.AfterRecord     -> "the record decides; none of its transactions is committed",
    Step.PartPublished   -> "one more of the record's transactions committed",
    Step.AfterPublish    -> "all of the record's transactions committed; the record is not marked",
    Step.AfterMark       -> "the record is marked as carried out",
    Step.AfterTrim       -> Step.AfterTrim.after,
    Step.BeforeRelease   -> "the query has ended; no record contains the end",
    Step.AfterRelease    -> "a record contains the end of the query"
  )
}
