// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.fault.{ConnectorSteps, Step}

/** The steps of a write-ahead sink that sends what is in its log, besides [[stoplog.fault.Step.ofSinks]]. */
private[stoplog] object WriteAheadStep {
  case object BeforeSend extends Step("beforeSend", "the record decides; a chunk in the log, none of it sent")
  case object AfterSend  extends Step("afterSend", "a chunk sent and acknowledged; no note of that")
  case object AfterNote  extends Step("afterNote", "a chunk sent and noted; it is still in the log")

  val all: Vector[Step] = Vector(BeforeSend, AfterSend, AfterNote)
}

/** Found by [[stoplog.fault.Step.all]]. */
final class WriteAheadSteps extends ConnectorSteps {
  override def all: Vector[Step] = WriteAheadStep.all
}
