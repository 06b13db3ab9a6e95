// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.preflight.Finding
import stoplog.rolling.RollingPolicy
import stoplog.store.{
  Durability => AskedDurability, FinishedStore, JobStore, NoteStore, PartLayout, PartStore, SideStore
}
import stoplog.store.local.{
  Durability, LocalFinished, LocalJobStore, LocalNotes, LocalPartStore, LocalRecords, LocalSides
}

/** A local, or everywhere mounted, file system. */
private[stoplog] final case class OnDisk(path: String, root: String, durability: Durability)
    extends SinkPlace {

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def sides(sinkId: String): SideStore = new LocalSides(root, sinkId, durability)

  override def finished(sinkId: String): FinishedStore = new LocalFinished(root, sinkId, durability)

  override def records(sinkId: String): RecordStore =
    new LocalRecords(root, sinkId, durability, Faults.ofThisJvm)

  override def notes(sinkId: String): NoteStore = new LocalNotes(root, sinkId, durability)

  override def pathOf(relative: String): HadoopPath = new HadoopPath("file", null, s"$root/$relative")

  override def job(sinkId: String): JobStore = new LocalJobStore(root, sinkId, durability)

  override def sinkIds(prefix: String): Vector[String] = LocalJobStore.jobs(root, prefix)

  override def probe(sinkId: String, layout: PartLayout): Unit = store(sinkId, layout).probe()

  override def shown(sinkId: String, policy: RollingPolicy): Vector[Finding] = Vector(
    Finding.Ok(
      "storage",
      "A local or mounted file system: a file was created, linked under a second name, and deleted."
    )
  )

  override def refuseIfHopeless(): Unit = {
    val nearest = Iterator.iterate(Paths.get(root))(_.getParent).takeWhile(_ != null).find(Files.exists(_))
    nearest.foreach { there =>
      if (!Files.isDirectory(there)) throw Errors.pathNotWritable(path, s"$there is not a directory")
      if (!Files.isWritable(there))
        throw Errors.pathNotWritable(path, s"there is no right to write to $there")
    }
  }

  private def store(sinkId: String, layout: PartLayout): LocalPartStore =
    new LocalPartStore(root, sinkId, layout, durability, Faults.ofThisJvm)
}

private[stoplog] object OnDisk {
  def apply(path: String, parsed: HadoopPath, durability: AskedDurability): OnDisk = {
    val root: Path = Paths.get(parsed.toUri.getPath).toAbsolutePath.normalize
    OnDisk(path, root.toString, durabilityOf(durability))
  }

  private def durabilityOf(asked: AskedDurability): Durability = asked match {
    case AskedDurability.Disk    => Durability.Disk
    case AskedDurability.Process => Durability.Process
  }
}
