// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{EpochPlan, TaskPlanner, TaskPlans}

/** Sends the plans of one run to its tasks, as an engine does: in every second world what it can send inline is so little that
  * tasks ask for their parts and for the changes since.
  */
final class SimCarrier(world: World) {
  private val planner = if (world.seed % 2 == 0) new TaskPlanner() else new TaskPlanner(0, 300)

  /** The plan of the next epoch. */
  def sent(plan: EpochPlan): TaskPlans = planner.next(plan, new SimCarrier.Carried(_))

  /** No epoch follows. */
  def close(): Unit = planner.close()
}

private[sim] object SimCarrier {

  /** In the message of a task whose plan is closed. */
  val Closed: String = "this plan is closed"

  /** Bytes that tasks ask for, until the driver has closed them. */
  private final class Carried(bytes: Array[Byte]) extends (() => Array[Byte]) with AutoCloseable {
    private var isOpen = true

    override def apply(): Array[Byte] =
      if (isOpen) bytes else throw new RuntimeException(Closed)

    override def close(): Unit = {
      if (!isOpen) throw new Violation("a plan is closed twice")
      isOpen = false
    }
  }
}
