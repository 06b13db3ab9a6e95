// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import stoplog.fault.Faults
import stoplog.part.PartNaming
import stoplog.plan.TaskPlan
import stoplog.rolling.RollingPolicy
import stoplog.storage.{PartStore, SpoolFiles}
import stoplog.thread.Clock

/** Writers of tasks without faults and without another run. */
object TaskWriters {

  def of[R](
      plan: TaskPlan,
      store: PartStore,
      format: PartFormat[R],
      policy: RollingPolicy,
      clock: Clock,
      spoolFiles: SpoolFiles,
      suffix: String = ".txt",
      maxOpenParts: Int = 100,
      checkBucket: String => Unit = _ => ()
  ): TaskWriter[R] = new TaskWriter[R](
    plan,
    store,
    new SpoolWriter(spoolFiles, Faults.none),
    format,
    TaskWriter.Rules(policy, PartNaming("part", suffix), maxOpenParts, checkBucket, () => ()),
    TaskWriter.Tools(clock, Faults.none)
  )
}
