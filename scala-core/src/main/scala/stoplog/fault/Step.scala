package stoplog.fault

/** The named steps of the protocol: every place where a crash leaves something different on storage.
  *
  * The crash matrix kills the process at each of them; `docs/crash-matrix.md` is written by the run that does.
  *
  * @param name  as it is typed in `-Dstoplog.faults=<name>:<occurrence>:<halt|throw>`
  * @param after what is on storage when the process dies here
  */
sealed abstract class Step(val name: String, val after: String) extends Product with Serializable

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
      extends Step("midWrite", "some rows of this epoch behind the valid length of open parts")
  case object BeforeSync extends Step("beforeSync", "all rows of the task written, none known to be durable")
  case object SideWritten
      extends Step("sideWritten", "rows beside an open part durable, the part's own bytes maybe not")
  case object AfterSync extends Step("afterSync", "all rows of the task durable, in no record")

  // an epoch's commit
  case object BeforeRecord extends Step("beforeRecord", "all tasks' rows durable, in no record")
  case object RecordWritten
      extends Step("recordWritten", "the record under a temporary name, not yet in the log")
  case object AfterRecord extends Step("afterRecord", "the record decides; none of its parts is visible")
  case object MidPublish
      extends Step(
        "midPublish",
        "a part half-way to its final name: visible already on local disks and on S3, not yet on HDFS"
      )
  case object PartPublished extends Step("partPublished", "one more of the record's parts visible")
  case object AfterPublish  extends Step("afterPublish", "all parts visible; nothing of what follows is done")
  case object ManifestWritten
      extends Step(
        "manifestWritten",
        "all parts visible and listed in a manifest; no marker of their buckets"
      )
  case object MarkerWritten
      extends Step("markerWritten", "one more bucket with its marker; its listener knows nothing of it")
  case object ListenerCalled
      extends Step("listenerCalled", "the bucket's listener has been told; the record is not marked")
  case object AfterMark extends Step("afterMark", "the record is marked as published")
  case object AfterTrim extends Step("afterTrim", "old records dropped")
  case object AfterDrop extends Step("afterDrop", "side files that the record no longer names are deleted")

  // between epochs, and at the end
  case object BeforeRoll extends Step("beforeRoll", "parts due by the clock, still open in the newest record")
  case object PartEnded
      extends Step("partEnded", "the driver has written the end of a part; no record says that it has ended")
  case object BeforeRelease extends Step("beforeRelease", "the query has ended; its parts are still open")
  case object AfterRelease
      extends Step("afterRelease", "the release record decides; its parts may still be hidden")
  case object MidSweep extends Step("midSweep", "some orphans deleted")

  // small parts give way to one
  case object MidMerge
      extends Step("midMerge", "some of the rows of several finished parts in one that no record names")
  case object BeforeCompact
      extends Step(
        "beforeCompact",
        "the merged part is durable; no record names it, and its rows are visible"
      )
  case object MidReplace
      extends Step("midReplace", "the record decides; some of the parts that it replaces are out of sight")
  case object AfterReplace
      extends Step("afterReplace", "all that is replaced is out of sight; the merged part is not visible")
  case object AfterForget
      extends Step(
        "afterForget",
        "the merged part is visible and what it replaces deleted; the record is not marked"
      )

  // a batch job that replaces what is there
  case object MidSetAside
      extends Step("midSetAside", "the record decides; some of what it replaces is out of sight")
  case object AfterSetAside
      extends Step("afterSetAside", "all that is replaced is out of sight; no part is visible")

  val all: Vector[Step] = Vector(
    BeforeRepublish,
    BeforeClaim,
    AfterClaim,
    PartOpened,
    MidWrite,
    BeforeSync,
    SideWritten,
    AfterSync,
    BeforeRecord,
    RecordWritten,
    AfterRecord,
    MidPublish,
    PartPublished,
    AfterPublish,
    ManifestWritten,
    MarkerWritten,
    ListenerCalled,
    AfterMark,
    AfterTrim,
    AfterDrop,
    BeforeRoll,
    PartEnded,
    BeforeRelease,
    AfterRelease,
    MidSweep,
    MidMerge,
    BeforeCompact,
    MidReplace,
    AfterReplace,
    AfterForget,
    MidSetAside,
    AfterSetAside
  )

  def named(name: String): Option[Step] = all.find(_.name.equalsIgnoreCase(name))
}
