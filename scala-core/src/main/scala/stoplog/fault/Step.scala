// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

/** The named steps of the protocol. Every place where a crash leaves a different state on storage has a step.
  *
  * The crash matrix kills the process at each step, see `docs/correctness/crash-matrix.md`.
  *
  * A connector may define further steps, which it lists in its [[ConnectorSteps]].
  *
  * @param name  as typed in `-Dstoplog.faults=<name>:<occurrence>:<halt|throw>`
  * @param after the state of the storage when the process dies at this step
  */
abstract class Step private[stoplog] (val name: String, val after: String) extends Product with Serializable

object Step {
  // starting
  case object BeforeRepublish
      extends Step("beforeRepublish", "the newest record may name parts that are still hidden")
  case object BeforeClaim
      extends Step("beforeClaim", "everything in the newest record is published; no claim")
  case object AfterClaim extends Step("afterClaim", "a claim; older drivers are fenced; nothing else changed")

  // tasks
  case object PartOpened extends Step("partOpened", "a new or cut-back part without a row of this epoch")
  case object MidWrite
      extends Step("midWrite", "some rows of this epoch after the valid length of open parts")
  case object BeforeSync extends Step("beforeSync", "all rows of the task written, none known to be durable")
  case object SpoolWritten
      extends Step("sideWritten", "spooled rows of an open part durable, the bytes of the part maybe not")
  case object AfterSync extends Step("afterSync", "all rows of the task durable, in no record")

  // an epoch's commit
  case object BeforeRecord extends Step("beforeRecord", "all tasks' rows durable, in no record")
  case object CutTaken
      extends Step(
        "cutTaken",
        "an overwriting job is announced, and all earlier decisions of others are visible; the job has no " +
          "record"
      )
  case object RecordWritten
      extends Step("recordWritten", "the record under a temporary name, not yet in the log")
  case object AfterRecord extends Step("afterRecord", "the record decides; none of its parts is visible")
  case object MidPublish
      extends Step(
        "midPublish",
        "a part half-way to its final name: visible already on local disks and on S3, not yet on HDFS"
      )
  case object PartPublished extends Step("partPublished", "one more of the record's parts visible")
  case object AfterPublish  extends Step("afterPublish", "all parts visible; no later step is done")
  case object ManifestWritten
      extends Step(
        "manifestWritten",
        "all parts visible and listed in a manifest; no marker of their buckets"
      )
  case object MarkerWritten
      extends Step("markerWritten", "one more bucket with its marker; the record is not marked")
  case object AfterMark extends Step("afterMark", "the record is marked as published")
  case object AfterTrim extends Step("afterTrim", "old records dropped")
  case object AfterDrop extends Step("afterDrop", "spool files that the record no longer names are deleted")

  // between epochs, and at the end
  case object BeforeRoll extends Step("beforeRoll", "parts due by the clock, still open in the newest record")
  case object PartEnded
      extends Step("partEnded", "the driver has written the end of a part; no record contains the end")
  case object BeforeRelease extends Step("beforeRelease", "the query has ended; its parts are still open")
  case object AfterRelease
      extends Step("afterRelease", "the release record decides; its parts may still be hidden")
  case object MidSweep extends Step("midSweep", "some orphans deleted")

  // compaction: one part replaces several small parts
  case object MidCompaction
      extends Step("midMerge", "some rows of several finished parts in a compacted part that no record names")
  case object BeforeCompact
      extends Step(
        "beforeCompact",
        "the compacted part is durable and in no record; the input files are visible"
      )
  case object MidReplace
      extends Step("midReplace", "the record decides; some of the replaced parts are hidden")
  case object AfterReplace
      extends Step("afterReplace", "all replaced parts are hidden; the compacted part is not visible")
  case object ReplacementNoted
      extends Step(
        "replacementNoted",
        "a note records that the parts of the record are about to become visible, or that the record is " +
          "called off"
      )
  case object ReplacementCalledOff
      extends Step(
        "replacementCalledOff",
        "the record is called off: the replaced files are visible, and the parts of the record never are"
      )
  case object AfterForget
      extends Step(
        "afterForget",
        "the compacted part is visible and the replaced parts are deleted; the record is not marked"
      )

  // end of a batch job
  case object MidRemove
      extends Step("midRemove", "a batch job is carried out and marked; some of its own directory is removed")

  // the targets of announcements, each on a thread of its own, and the end of their run
  case object BeforeDelivery
      extends Step(
        "beforeDelivery",
        "the files of records are visible; a target does not have the announcements"
      )
  case object AfterDelivery
      extends Step("afterDelivery", "a target has announcements; the cursor of the target is not moved")
  case object CursorWritten
      extends Step(
        "cursorWritten",
        "the cursor of a target is moved; the files of former positions still exist"
      )
  case object AllAnnounced
      extends Step(
        "allAnnounced",
        "all targets have all announcements of a run; the log of a batch job still exists"
      )

  // a source's driver
  case object TargetFixed
      extends Step(
        "targetFixed",
        "the trigger availableNow reads the files listed now; no record names them yet"
      )
  case object GoneNoted
      extends Step("goneNoted", "a note of absent files is written; the newest record does not name the note")
  case object SeenWritten
      extends Step("seenWritten", "the list of all read files is rewritten; no record names the list")
  case object StaleDropped extends Step("staleDropped", "one more unnamed state file is deleted")
  case object BeforeSplits extends Step("beforeSplits", "files found, in no record of splits")
  case object StateWritten
      extends Step("stateWritten", "a record or another state file under a temporary name")
  case object AfterSplits
      extends Step("afterSplits", "the record of splits decides; the engine has not received the splits")
  case object SplitsDropped extends Step("splitsDropped", "one more old record of splits is deleted")
  case object BeforeClean
      extends Step("beforeClean", "the micro-batch is committed; a completely read file still exists")
  case object MidArchive
      extends Step("midArchive", "a read file has two names: the original name and the name in the archive")
  case object FileCleaned
      extends Step(
        "fileCleaned",
        "one more read file is deleted or archived; no record contains the deletion"
      )
  case object AfterClean
      extends Step(
        "afterClean",
        "all files of the micro-batch are deleted or archived; no record contains the deletions"
      )

  // steps of operators' tools, in addition to the steps of every driver
  case object LogKept  extends Step("logKept", "one more record of a log before a reset is copied to aside/")
  case object PartKept extends Step("partKept", "one more finished part before hiding is copied to aside/")
  case object BeforeRewind
      extends Step("beforeRewind", "all parts before hiding are copied; the log is unchanged")

  /** The steps of a file source's driver. */
  val ofSources: Vector[Step] = Vector(
    TargetFixed,
    GoneNoted,
    SeenWritten,
    StaleDropped,
    BeforeSplits,
    StateWritten,
    AfterSplits,
    SplitsDropped,
    BeforeClean,
    MidArchive,
    FileCleaned,
    AfterClean
  )

  val ofSinks: Vector[Step] = Vector(
    BeforeRepublish,
    BeforeClaim,
    AfterClaim,
    PartOpened,
    MidWrite,
    BeforeSync,
    SpoolWritten,
    AfterSync,
    CutTaken,
    BeforeRecord,
    RecordWritten,
    AfterRecord,
    MidPublish,
    PartPublished,
    AfterPublish,
    ManifestWritten,
    MarkerWritten,
    AfterMark,
    AfterTrim,
    AfterDrop,
    BeforeRoll,
    PartEnded,
    BeforeRelease,
    AfterRelease,
    MidSweep,
    MidCompaction,
    BeforeCompact,
    MidReplace,
    AfterReplace,
    ReplacementNoted,
    ReplacementCalledOff,
    AfterForget,
    MidRemove
  )

  /** The steps of the announcements, in addition to the steps of all sinks. */
  val ofAnnouncements: Vector[Step] = Vector(BeforeDelivery, AfterDelivery, CursorWritten, AllAnnounced)

  /** The steps of a tool in addition to the steps of all sinks. */
  val ofTools: Vector[Step] = Vector(LogKept, PartKept, BeforeRewind)

  /** The steps of all jars on the class path. */
  lazy val all: Vector[Step] =
    ofSinks ++ ofAnnouncements ++ ofSources ++ ofTools ++ ConnectorSteps.onClassPath

  def named(name: String): Option[Step] = all.find(_.name.equalsIgnoreCase(name))
}
