// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.{Errors, Log}
import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.preflight.Finding
import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.store.{
  Durability, FinishedStore, JobStore, NoteStore, PartLayout, PartStore, SideStore, Truncation
}
import stoplog.store.hadoop._

/** Any Hadoop file system, by what it turns out to be able to do.
  *
  * That is found out by trying, once on the driver, and not before something is to be written: a start may still be
  * refused. The answer goes to the executors.
  */
private[stoplog] final class OnHadoop(
    path: String,
    files: HadoopFiles,
    durability: Durability,
    truncation: Truncation
) extends SinkPlace {
  private var known = Option.empty[Abilities]

  override def parts(sinkId: String, layout: PartLayout): PartStore = {
    val growth = abilities(sinkId).growth
    new HadoopPartStore(
      files,
      sinkId,
      layout,
      growth,
      HadoopChoices.trimming(truncation, growth),
      HadoopChoices.lengths(files, sinkId, truncation),
      HadoopChoices.durability(durability),
      Faults.ofThisJvm
    )
  }

  override def sides(sinkId: String): SideStore =
    new HadoopSides(files, sinkId, HadoopChoices.durability(durability))

  override def finished(sinkId: String): FinishedStore = new HadoopFinished(files, sinkId)

  override def records(sinkId: String): RecordStore =
    new HadoopRecords(
      files,
      sinkId,
      HadoopChoices.durability(durability),
      Faults.ofThisJvm,
      abilities(sinkId).exclusion
    )

  override def notes(sinkId: String): NoteStore =
    new HadoopNotes(files, sinkId, HadoopChoices.durability(durability), abilities(sinkId).exclusion)

  override def pathOf(relative: String): HadoopPath = files.at(relative)

  override def job(sinkId: String): JobStore = new HadoopJobStore(files, sinkId)

  override def sinkIds(prefix: String): Vector[String] = HadoopJobStore.jobs(files, prefix)

  /** Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`. */
  override def probe(sinkId: String, layout: PartLayout): Unit = {
    abilities(sinkId)
    ()
  }

  override def shown(sinkId: String, policy: RollingPolicy): Vector[Finding] = {
    val found = abilities(sinkId)
    val alone = found.exclusion match {
      case Exclusion.ByRename => "renamed, and not over another one"
      case Exclusion.ByCreate => "renamed, and not created where there is one"
    }
    Vector(found.growth match {
      case Growth.CreateOnly =>
        Finding.Warning("storage", s"A file was created, $alone. ${OnHadoop.CreateOnly}", OnHadoop.Larger)
      case Growth.AppendOnly =>
        Finding.Ok("storage", s"A file was created, appended to, $alone. Cut, it has to be copied.")
      case Growth.AppendAndTruncate =>
        Finding.Ok("storage", s"A file was created, appended to, cut, $alone.")
    })
  }

  override def refuseIfHopeless(): Unit = files.writing(files.at("")) {
    files.obstacle().foreach(there => throw Errors.pathNotWritable(path, s"$there is not a directory"))
  }

  /** Where no file can be gone on with, each epoch closes its parts: copying them anew each time would cost more and
    * more.
    */
  override def policy(sinkId: String, asked: RollingPolicy): RollingPolicy =
    new OnHadoop.ByGrowth(asked, this, sinkId)

  private def abilities(sinkId: String): Abilities = synchronized {
    known.getOrElse {
      val found = Trial.of(files, sinkId)
      known = Some(found)
      if (found.growth == Growth.CreateOnly) OnHadoop.warn(path)
      found
    }
  }
}

private[stoplog] object OnHadoop {
  private val CreateOnly =
    "The file system cannot append to a file: each micro-batch closes its parts (roll reason checkpoint), and files " +
      "are no larger than micro-batches make them."

  private val Larger =
    "For larger files set a longer trigger interval or distribution=byBucket, or write to a file system that can append."

  private def warn(path: String): Unit = Log.warn(s"$path: $CreateOnly $Larger")

  /** Asks the place as late as possible, because the answer may have to be found out by writing. */
  private final class ByGrowth(asked: RollingPolicy, place: OnHadoop, sinkId: String)
      extends AskingPolicy(asked) {
    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
      super.onEpochEnd(part, nowMillis).orElse {
        Option.when(place.abilities(sinkId).growth == Growth.CreateOnly)(RollReason.Checkpoint)
      }
  }
}
