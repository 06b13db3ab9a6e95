// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The plan of an epoch: which task continues which open part.
  *
  * The driver creates an [[plan.EpochPlan]] from the newest record of the log. [[plan.TaskPlanner]] sends its
  * parts to each task, inline or in slices that the task requests. A task returns a [[plan.TaskResult]].
  */
package object plan
