// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{DataInput, DataOutput}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.error.StoplogException
import stoplog.laws.MemoryState
import stoplog.source._
import stoplog.source.SplitRecord
import stoplog.storage.SourceFile

/** The state of a source in a checkpoint, as files. */
class GoldenStateSuite extends AnyFunSuite {
  import GoldenStateSuite._

  test("reads state with read, partially read and missing files") {
    val world = opened(state())
    assert(world.batch(Limits) === Seq("l4", "l5", "l6", "l7"))
    world.files.put(Awkward, "again\n", 1)
    world.files.put("dir/b", "back\n", 2)
    world.files.put("dir/new", "new\n", 3)
    assert(world.all() === Seq("again", "back", "new"))
  }

  test("splits are read unchanged") {
    val newest = state().files.filter(_._1.endsWith(".splits")).maxBy(_._1)._2
    val record = SplitRecord.read(newest, FileSplit.Serializer).toOption.get
    assert(record.first === 2)
    assert(record.splits.map(_.describe) === Seq(s"$Awkward bytes 0 to 2", "dir/large bytes 0 to 9"))
    val other = SplitRecord.read(Files.readAllBytes(directory("splits-v1.bin")), FileSplit.Serializer)
    assert(other.toOption.get.splits === Splits)
  }

  test("rejects a newer version of any record and reports both versions") {
    def refused(suffix: String)(change: Array[Byte] => Array[Byte]): Unit = {
      val changed = state()
      edit(changed, suffix)(change)
      val error = intercept[StoplogException](opened(changed).batch())
      assert(error.getCondition === "STOPLOG_RECORD_TOO_NEW")
      val version = error.getMessageParameters.get("version").toInt
      assert(error.getMessageParameters.get("supported") === (version - 1).toString)
    }
    refused(".splits")(newer(_, at = 4, SplitRecord.Version + 1))
    refused(".splits")(rewritten(_, identity, NewerSplits))
    refused(".splits")(rewritten(_, newer(_, at = 0, FileEnumerator.Version + 1), FileSplit.Serializer))
    refused(".splits")(rewritten(_, newer(_, at = 4, FileSplit.Serializer.version + 1), FileSplit.Serializer))
    refused(".seen")(newer(_, at = 0, SeenFiles.Version + 1))
    refused(".gone")(newer(_, at = 0, SeenFiles.Version + 1))
  }

  test("rejects damaged state") {
    val damaged = state()
    edit(damaged, ".splits")(bytes => bytes.updated(30, (bytes(30) + 1).toByte))
    assert(intercept[StoplogException](opened(damaged).batch()).getCondition === "STOPLOG_RECORD_TORN")
  }

  /** A new run, over the files as they were when the state was written. */
  private def opened(state: MemoryState): SourceWorld = {
    val world = new SourceWorld(state = state, position = 4)
    world.files.put("dir/a", "a changed\n", 11)
    world.files.put("dir/large", Large, 40)
    world
  }

  private def state(): MemoryState = {
    val read = new MemoryState
    val root = directory("source-v1")
    Using
      .resource(Files.walk(root))(_.iterator.asScala.filter(Files.isRegularFile(_)).toVector)
      .foreach(file => read.files(root.relativize(file).toString) = Files.readAllBytes(file))
    read
  }

  private def edit(state: MemoryState, suffix: String)(change: Array[Byte] => Array[Byte]): Unit = {
    val names = state.files.keys.filter(_.endsWith(suffix)).toVector
    assert(names.nonEmpty)
    names.foreach(name => state.files(name) = change(state.files(name)))
  }

  private def newer(bytes: Array[Byte], at: Int, version: Int): Array[Byte] = {
    val changed = bytes.clone()
    ByteBuffer.wrap(changed).putInt(at, version)
    changed
  }

  private def rewritten(
      bytes: Array[Byte],
      snapshot: Array[Byte] => Array[Byte],
      serializer: VersionedSerializer[FileSplit]
  ): Array[Byte] = {
    val record = SplitRecord.read(bytes, FileSplit.Serializer).toOption.get
    SplitRecord.encode(record.copy(snapshot = snapshot(record.snapshot)), serializer)
  }

  private object NewerSplits extends VersionedSerializer[FileSplit] {
    override val version: Int                                   = FileSplit.Serializer.version + 1
    override def write(split: FileSplit, out: DataOutput): Unit = FileSplit.Serializer.write(split, out)
    override def read(version: Int, in: DataInput): FileSplit   = FileSplit.Serializer.read(version - 1, in)
  }
}

object GoldenStateSuite {
  private val Limits  = ReadLimits.none.copy(records = Some(4))
  private val Large   = (1 to 7).map(n => s"l$n\n").mkString
  private val Awkward = "d\u00e4r/\u6771.txt"

  private val Splits = {
    val file = SourceFile("d\u00e4r/\u6771.gz", 70000000000L, 1767225600123L)
    Vector(
      FileSplit(file, Extent.Records(0, 5)),
      FileSplit(file, Extent.Records(5, Extent.ToTheEnd)),
      FileSplit(file.copy(path = ""), Extent.Bytes(1, 70000000000L))
    )
  }

  private def directory(name: String): Path =
    Repository.root.resolve("scala-core/src/test/resources/golden").resolve(name)

  /** Writes the state as this version does, for the first time. */
  def main(args: Array[String]): Unit = {
    val state = new MemoryState
    val world =
      new SourceWorld(state = state, cleaning = CleanSource.Delete, seenLimits = SeenFiles.SeenLimits(2, 100))
    world.files.put("dir/a", "a\n", 10)
    world.files.put("dir/b", "b\n", 20)
    world.planInVain()
    world.files.put("dir/a", "a changed\n", 11) // so it is not deleted
    world.batch()
    world.files.put(Awkward, "x\n", 30)
    world.files.put("dir/large", Large, 40)
    world.batch(Limits)
    val splits = SplitRecord(1234567890123L, Splits, Array[Byte](1, 2, 3), previous = None)
    create(directory("splits-v1.bin"), SplitRecord.encode(splits, FileSplit.Serializer))
    state.files.foreach { case (name, bytes) => create(directory("source-v1").resolve(name), bytes) }
  }

  private def create(file: Path, bytes: Array[Byte]): Unit = {
    Files.createDirectories(file.getParent)
    Files.write(file, bytes)
    ()
  }
}
