// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.preflight.Finding
import stoplog.rolling.RollingPolicy
import stoplog.store.{
  Durability, FinishedStore, JobStore, NoteStore, PartLayout, PartStore, SideStore, Truncation
}
import stoplog.store.hadoop._
import stoplog.store.hdfs.{HdfsJobStore, HdfsPartStore, HdfsSides}

/** HDFS, or whatever has its abilities. */
private[stoplog] final case class OnHdfs(
    path: String,
    files: HadoopFiles,
    asked: Durability,
    truncation: Truncation
) extends SinkPlace {

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def sides(sinkId: String): SideStore = new HdfsSides(files, sinkId, durability)

  override def finished(sinkId: String): FinishedStore = new HadoopFinished(files, sinkId)

  override def records(sinkId: String): RecordStore =
    new HadoopRecords(files, sinkId, durability, Faults.ofThisJvm)

  override def notes(sinkId: String): NoteStore = new HadoopNotes(files, sinkId, durability)

  override def pathOf(relative: String): HadoopPath = files.at(relative)

  override def job(sinkId: String): JobStore = new HdfsJobStore(files, sinkId)

  override def sinkIds(prefix: String): Vector[String] = HadoopJobStore.jobs(files, prefix)

  override def probe(sinkId: String, layout: PartLayout): Unit = store(sinkId, layout).probe()

  override def shown(sinkId: String, policy: RollingPolicy): Vector[Finding] = {
    val cut = if (truncation == Truncation.Allowed) "cut, " else ""
    Vector(
      Finding.Ok(
        "storage",
        s"HDFS: a file was created, appended to, ${cut}renamed, not renamed over another one, and deleted."
      )
    )
  }

  override def refuseIfHopeless(): Unit = files.writing(files.at("")) {
    files.obstacle().foreach(there => throw Errors.pathNotWritable(path, s"$there is not a directory"))
  }

  private def store(sinkId: String, layout: PartLayout): HdfsPartStore = new HdfsPartStore(
    files,
    sinkId,
    layout,
    HadoopChoices.trimming(truncation, Growth.AppendAndTruncate),
    HadoopChoices.lengths(files, sinkId, truncation),
    durability,
    Faults.ofThisJvm
  )

  private def durability: HadoopDurability = HadoopChoices.durability(asked)
}
