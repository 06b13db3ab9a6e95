// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.LogFiles
import stoplog.part.{Closed, Resume}
import stoplog.storage.{NewPart, PartStore}

/** Tools with one of their rules taken out. */
object OperatorMutations {

  /** What was an orphan when the plan was made is removed, whatever has been decided since. */
  object CleanAsPlanned extends Mutation {
    override def clean(planned: Vector[String], parts: PartStore)(asItIs: => Unit): Unit =
      planned.foreach(parts.discard)
  }

  /** Of tools alone: parts are closed where they stand, whoever may still write them. */
  object FinishInPlace extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
        if (world.scheduler.current.name.startsWith("tool")) Closed(open.token)
        else real.isolate(open, validBytes, part)
    }
  }
}
