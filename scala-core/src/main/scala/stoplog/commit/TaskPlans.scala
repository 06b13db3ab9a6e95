// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.OpenPartsCodec
import stoplog.part.Open

/** A plan as it travels to the tasks: each unpacks what is handed to it, and nothing of what the others get.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, and maybe bytes of each in its
  * handle, those are megabytes that every task would otherwise take apart for the few parts it is to go on with.
  */
final class TaskPlans private (bare: EpochPlan, handed: Map[Int, Array[Byte]]) extends Serializable {

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    bare
      .forTask(slot, attempt)
      .copy(handed = handed.get(slot).fold(Vector.empty[Open])(OpenPartsCodec.decode))
}

object TaskPlans {

  def of(plan: EpochPlan): TaskPlans = new TaskPlans(
    plan.copy(handed = Map.empty),
    plan.handed.map { case (slot, parts) => slot -> OpenPartsCodec.encode(parts) }
  )
}
