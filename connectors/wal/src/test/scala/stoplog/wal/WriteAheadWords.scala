// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.fault.Step

/** What is in log and target when a process with a write-ahead sink stops at a step. */
object WriteAheadWords {

  /** @param within steps of the target, between those before and after a chunk is sent */
  def apply(within: Step*): Vector[(Step, String)] =
    before ++ within.map(step => step -> step.after) ++ after

  private val before = Vector[(Step, String)](
    Step.BeforeRepublish      -> "chunks of the newest record may not be sent",
    Step.BeforeClaim          -> "everything in the newest record is sent; no claim",
    Step.AfterClaim           -> "a claim; older drivers are fenced; chunks of dead tasks are in the log",
    Step.MidSweep             -> "one chunk less of dead tasks",
    Step.PartOpened           -> "nothing of the task: it has its rows in memory",
    Step.MidWrite             -> "the same",
    Step.BeforeSync           -> "the same, with all of the task's rows",
    Step.AfterSync            -> "the task's rows as a chunk in the log, in no record",
    Step.BeforeRecord         -> "all tasks' chunks in the log, in no record",
    Step.RecordWritten        -> Step.RecordWritten.after,
    Step.AfterRecord          -> "the record decides; none of its chunks is sent",
    WriteAheadStep.BeforeSend -> WriteAheadStep.BeforeSend.after
  )

  private val after = Vector[(Step, String)](
    WriteAheadStep.AfterSend -> WriteAheadStep.AfterSend.after,
    WriteAheadStep.AfterNote -> WriteAheadStep.AfterNote.after,
    Step.PartPublished -> "one more of the record's chunks sent, recorded as sent and removed from the log",
    Step.AfterPublish  -> "all of the record's chunks sent; the record is not marked",
    Step.AfterMark     -> "the record is marked as carried out",
    Step.AfterTrim     -> Step.AfterTrim.after,
    Step.BeforeRelease -> "the query has ended; no record contains the end",
    Step.AfterRelease  -> "a record contains the end of the query"
  )
}
