package stoplog.matrix

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import stoplog.fault.Faults
import stoplog.log.CommitLog
import stoplog.part.RunId
import stoplog.store.local._
import stoplog.store.{NewPart, PartLayout, PartStore}

/** A directory that runs come and go in. */
final class Place(val layout: Layout, val content: Content) {
  val root: Path = Files.createTempDirectory("stoplog-matrix")

  def parts(faults: Faults): PartStore =
    new LocalPartStore(root.toString, Place.SinkId, layout.local(Place.SinkId), Durability.Process, faults)

  def log(faults: Faults): CommitLog =
    new CommitLog(new LocalRecords(root.toString, Place.SinkId, Durability.Process, faults))

  /** What attempts of long ago left: in no record, and old. */
  def leaveOrphans(count: Int): Unit = (1 to count).foreach { number =>
    val output = parts(Faults.none).create(NewPart("a", s"orphan-$number", RunId.random()))
    output.write("never committed\n".getBytes, 0, 16)
    Files.setLastModifiedTime(root.resolve(output.persist().token), FileTime.fromMillis(0))
  }

  def remove(): Unit = {
    DeadProcess.dropLocks(root)
    LocalStorage.remove(root)
  }
}

object Place {
  val SinkId: String = "main"
}

/** Where unfinished parts lie. */
sealed abstract class Layout(val name: String, val local: String => PartLayout)
    extends Product
    with Serializable

object Layout {
  case object Staging  extends Layout("staging", LocalStorage.staging)
  case object InBucket extends Layout("bucket", LocalStorage.inBucket)

  val all: Vector[Layout] = Vector(Staging, InBucket)
}
