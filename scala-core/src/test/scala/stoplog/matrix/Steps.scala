// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** Who passes which step. */
object Steps {

  /** Only who replaces finished files passes these. */
  val replacing: Set[Step] = Set(Step.MidReplace, Step.AfterReplace, Step.ReplacementNoted, Step.AfterForget)

  /** Only by batch jobs that replace files: a query decides in its own log. */
  val ofReplacingJobs: Set[Step] = Set(Step.CutTaken)

  /** Only at the end of a batch job. */
  val ofJobsEnds: Set[Step] = Set(Step.MidRemove) ++ ofReplacingJobs

  /** Only where small parts are merged. */
  val compacting: Set[Step] = replacing ++ Set(Step.MidCompaction, Step.BeforeCompact)

  /** Only where a reader takes an input of a merge away at one moment: the simulator's readers do. */
  val calledOff: Set[Step] = Set(Step.ReplacementCalledOff)

  val ofQueries: Vector[Step] = Step.ofSinks.filterNot(ofJobsEnds ++ compacting ++ calledOff)

  /** Only where rows are kept beside a part. */
  val ofBlocks: Set[Step] = Set(Step.SpoolWritten, Step.PartEnded, Step.AfterDrop)

  /** While a task of theirs runs, and so has parts open. */
  val ofTasks: Set[Step] = Set(Step.PartOpened, Step.MidWrite, Step.BeforeSync, Step.SpoolWritten)

  /** Where a batch job has decided and readers do not see it yet: the next job has most to do. */
  val ofDecidedJobs: Set[Step] = replacing ++ Set(Step.AfterRecord, Step.MidPublish)

  /** What a batch job passes that replaces what is there: it has no claim, no clock and no end, and leaves no part open.
    */
  val ofBatchJobs: Vector[Step] = Step.ofSinks.filterNot(ofBlocks).filterNot { step =>
    Set[Step](
      Step.MidCompaction,
      Step.BeforeCompact,
      Step.ReplacementCalledOff,
      Step.BeforeRepublish,
      Step.BeforeClaim,
      Step.AfterClaim,
      Step.BeforeRoll,
      Step.BeforeRelease,
      Step.AfterRelease,
      Step.MidSweep
    )(step)
  }
}
