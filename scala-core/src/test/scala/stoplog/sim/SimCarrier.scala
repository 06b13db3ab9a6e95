// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.plan.{EpochPlan, TaskPlanner, TaskPlans}

/** Sends the plans of one run to its tasks, as an engine does: in every second world what it can send inline is so little that
  * tasks ask for their parts and for the changes since.
  */
final class SimCarrier(world: World) {
  private val planner = if (world.seed % 2 == 0) new TaskPlanner() else new TaskPlanner(0, 300)
  private var ended   = false

  /** The plan of the next epoch. */
  def sent(plan: EpochPlan): TaskPlans = planner.next(plan, new SimCarrier.Carried(_, () => ended))

  /** No epoch follows. */
  def close(): Unit = {
    ended = true
    planner.close()
  }
}

private[sim] object SimCarrier {

  /** The message of a task whose plan is closed while its run continues. */
  val Closed: String = "this plan is closed"

  /** The message of a task that outlives its run. Spark fails such a task, and nobody waits for the task. */
  val Ended: String = "the run has ended, and its plans are gone"

  /** Bytes that tasks ask for, until the driver has closed them. */
  private final class Carried(bytes: Array[Byte], ended: () => Boolean)
      extends (() => Array[Byte])
      with AutoCloseable {
    private var isOpen = true

    override def apply(): Array[Byte] =
      if (isOpen) bytes else throw new RuntimeException(if (ended()) Ended else Closed)

    override def close(): Unit = {
      if (!isOpen) throw new Violation("a plan is closed twice")
      isOpen = false
    }
  }
}
