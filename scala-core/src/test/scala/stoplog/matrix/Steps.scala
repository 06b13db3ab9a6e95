// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** Who passes which step. */
object Steps {

  /** Only a batch job that replaces what is there passes these. */
  val replacing: Set[Step] = Set(Step.MidSetAside, Step.AfterSetAside)

  /** Only where small parts are merged. */
  val compacting: Set[Step] =
    Set(Step.MidMerge, Step.BeforeCompact, Step.MidReplace, Step.AfterReplace, Step.AfterForget)

  val ofQueries: Vector[Step] = Step.ofSinks.filterNot(replacing).filterNot(compacting)

  /** Only where rows are kept beside a part. */
  val ofBlocks: Set[Step] = Set(Step.SideWritten, Step.PartEnded, Step.AfterDrop)

  /** While a task of theirs runs, and so has parts open. */
  val ofTasks: Set[Step] = Set(Step.PartOpened, Step.MidWrite, Step.BeforeSync, Step.SideWritten)

  /** Where a batch job has decided and readers do not see it yet: the next job has most to do. */
  val ofDecidedJobs: Set[Step] = replacing ++ Set(Step.AfterRecord, Step.MidPublish)

  /** What a batch job passes that replaces what is there: it has no claim, no clock and no end, and leaves no part open.
    */
  val ofBatchJobs: Vector[Step] = Step.ofSinks.filterNot(ofBlocks).filterNot(compacting).filterNot { step =>
    Set[Step](
      Step.BeforeRepublish,
      Step.BeforeClaim,
      Step.AfterClaim,
      Step.AfterTrim,
      Step.BeforeRoll,
      Step.BeforeRelease,
      Step.AfterRelease,
      Step.MidSweep
    )(step)
  }
}
