package stoplog.matrix

import java.nio.file.{Files, Path}

import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.store.local._
import stoplog.store.{JobStore, PartStore, SideStore}

/** A temporary directory, looked at with java.nio. */
final class LocalPlace(layout: Layout, override val content: Content) extends Place {
  private val directory: Path = Files.createTempDirectory("stoplog-matrix")

  override def root: String = directory.toString

  override def parts(sinkId: String, faults: Faults): PartStore =
    new LocalPartStore(root, sinkId, layout.of(sinkId), Durability.Process, faults)

  override def sides(sinkId: String): SideStore = new LocalSides(root, sinkId, Durability.Process)

  override def records(sinkId: String, faults: Faults): RecordStore =
    new LocalRecords(root, sinkId, Durability.Process, faults)

  override def job(name: String): JobStore = new LocalJobStore(root, name, Durability.Process)

  override def files(): Vector[String] =
    LocalStorage.files(directory).map(directory.relativize(_).toString)

  override def read(file: String): Array[Byte] = Files.readAllBytes(directory.resolve(file))

  override def plant(file: String, bytes: Array[Byte]): Unit = {
    Files.createDirectories(directory.resolve(file).getParent)
    Files.write(directory.resolve(file), bytes)
    ()
  }

  override def unfinishedInBucket(name: String): Boolean = layout.unfinishedInBucket(name)

  override def processesDied(): Unit = DeadProcess.dropLocks(directory)

  override def remove(): Unit = {
    processesDied()
    LocalStorage.remove(directory)
  }
}
