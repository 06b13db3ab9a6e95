// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.laws.MemoryState
import stoplog.storage.{Ending, FileId, SourceFile}

/** What is remembered, against a plain map, over compactions and restarts. */
class SeenFilesSuite extends AnyFunSuite {

  test("restored state equals the original over many added, changed and removed files") {
    val random   = new Random(7)
    val state    = new MemoryState
    val assigned = mutable.Buffer.empty[FileSplit]
    val records  = mutable.Buffer.empty[(Long, Array[Byte])]
    val there    = mutable.Map.empty[String, SourceFile]
    val time     = new ManualClock(0)
    def opened() = new SeenFiles(state, SeenWidth.Plain, new Absence(0), time, SeenFiles.SeenLimits(20, 100))
    var seen     = opened()
    for (round <- 1 to 200) {
      for (_ <- 1 to 5) {
        val file =
          SourceFile(s"dir/${random.nextInt(300)}", random.nextLong(1L << 40), random.nextLong(1L << 45))
        there(file.path) = file
        seen.put(file)
        assigned += FileSplit(file, Extent.Bytes(0, file.bytes))
      }
      if (round % 3 == 0) {
        there.keys.take(3).toVector.foreach(there.remove)
        for (_ <- 1 to 2) {
          seen.beginListing()
          there.keys.foreach(path => seen.markFound(PathHash.ofFile(path)))
          seen.endListing(Evidence.Listed(DoubtedTags.none))
        }
      }
      val snapshot = new ByteArrayOutputStream()
      seen.snapshot(assigned.size.toLong, new DataOutputStream(snapshot))
      records += (assigned.size.toLong -> snapshot.toByteArray)
      if (round % 5 == 0) {
        seen = opened()
        seen.restore(
          input(snapshot.toByteArray),
          from =>
            records.iterator.zip(0L +: records.map(_._1).toVector).dropWhile(_._2 < from).map {
              case ((end, bytes), first) =>
                assigned.slice(first.toInt, end.toInt).toVector -> SeenFiles.Snapshot.read(input(bytes))
            }
        )
      }
      for {
        n <- 0 until 300
        path = s"dir/$n"
      }
        assert(seen.find(path) === there.get(path).map(f => FileIdentity(f.bytes, f.modifiedMillis)), round)
      assert(seen.oldestNeeded > assigned.size - 200)
    }
    assert(state.files.size <= 2, "old states are removed")
  }

  test("state and records are proportional to existing files, not to cleaned files") {
    val bytes = stateAfter(SeenFiles.SeenLimits(250 * 1000, 500, bytes = 64 * 1024))
    assert(bytes.newestRecord < 12 * 1024, "100 files are put away between two records")
    assert(bytes.all < 128 * 1024)
    val without = stateAfter(SeenFiles.SeenLimits(250 * 1000, 500, bytes = Long.MaxValue))
    assert(without.all > 256 * 1024, "the rule is needed")
    assert(without.newestRecord < 12 * 1024, "no record repeats the one before")
  }

  /** After 200 micro-batches of 100 files, all of which are put away. */
  private def stateAfter(limits: SeenFiles.SeenLimits): StateBytes = {
    val world = new SourceWorld(cleaning = CleanSource.Delete, seenLimits = limits)
    for (batch <- 1 to 200) {
      for (n <- 1 to 100) world.files.put(s"in/${batch * 1000 + n}", "x\n", 1)
      assert(world.batch().size === 100)
    }
    assert(world.files.paths.isEmpty)
    val files = world.state.files.toVector
    StateBytes(
      files.filter(_._1.endsWith(".splits")).maxBy(_._1)._2.length,
      files.map(_._2.length.toLong).sum
    )
  }

  for ((width, bytes) <- Seq(SeenWidth.Plain -> 24, SeenWidth.Marked -> 32))
    test(s"state takes $bytes bytes per file: $width") {
      val state = new MemoryState
      val seen  = new SeenFiles(state, width, new Absence(0), new ManualClock(0), SeenFiles.SeenLimits(1, 1))
      def file(n: Int): SourceFile =
        SourceFile(
          s"some/directory/with/a/name/part-$n.txt",
          n.toLong,
          n.toLong,
          None,
          FileId(n.toLong),
          Ending(n)
        )
      for (n <- 1 to 30000) seen.put(file(n))
      val snapshot = new ByteArrayOutputStream()
      seen.snapshot(30000, new DataOutputStream(snapshot))
      assert((state.files.values.map(_.length.toLong).sum - bytes * 30000L).abs <= 64)
      val restored = new SeenFiles(state, width, new Absence(0), new ManualClock(0))
      restored.restore(
        new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray)),
        _ => Iterator.empty
      )
      for (known <- Seq(seen, restored)) {
        val found = known.find(file(12345).path)
        assert(found.exists(_.isOf(file(12345))))
        assert(known.find("some/directory/with/a/name/part-0.txt") === None)
        val marked = width == SeenWidth.Marked
        assert(found.exists(_.mark.ending == Ending(12345)) === marked)
        known.beginListing()
        assert(known.ofId(file(7)).map(_.bytes) === (if (marked) Vector(7) else Vector.empty))
        assert(known.ofId(SourceFile("new", 1, 1, id = FileId(70000))).isEmpty)
      }
    }

  test("state without marks is restored with marks enabled") {
    val state = new MemoryState
    val seen  =
      new SeenFiles(state, SeenWidth.Plain, new Absence(0), new ManualClock(0), SeenFiles.SeenLimits(1, 1))
    val snapshot = new ByteArrayOutputStream()
    seen.put(SourceFile("a", 1, 2, id = FileId(3)))
    seen.snapshot(1, new DataOutputStream(snapshot))
    val marked =
      new SeenFiles(state, SeenWidth.Marked, new Absence(0), new ManualClock(0), SeenFiles.SeenLimits(1, 1))
    marked.restore(new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray)), _ => Iterator.empty)
    assert(marked.find("a") === Some(FileIdentity(1, 2)))
    marked.put(SourceFile("b", 4, 5, id = FileId(6)))
    marked.snapshot(2, new DataOutputStream(new ByteArrayOutputStream()))
    assert(marked.find("a") === Some(FileIdentity(1, 2)))
    assert(marked.ofId(SourceFile("c", 4, 5, id = FileId(6))).map(_.bytes) === Vector(4))
  }

  test("finds all files of an id, in the base and after it, without replaced and forgotten files") {
    val seen = new SeenFiles(
      new MemoryState,
      SeenWidth.Marked,
      new Absence(0),
      new ManualClock(0),
      SeenFiles.SeenLimits(1, 1)
    )
    def put(path: String, bytes: Long, id: Long): Unit =
      seen.put(SourceFile(path, bytes, 1, id = FileId(id)))
    def found(id: Long): Vector[Long] = {
      seen.beginListing()
      seen.ofId(SourceFile("new", 99, 1, id = FileId(id))).map(_.bytes).sorted
    }
    put("a", 1, id = 5)
    put("b", 2, id = 5)
    put("c", 3, id = 6)
    put("d", 4, id = 7)
    seen.snapshot(4, new DataOutputStream(new ByteArrayOutputStream()))
    put("c", 30, id = 5)
    put("e", 50, id = 6)
    seen.forget("d")
    assert(found(5) === Vector(1L, 2L, 30L))
    assert(found(6) === Vector(50L))
    assert(found(7).isEmpty)
    seen.forget("e")
    assert(found(6).isEmpty)
  }

  private def input(bytes: Array[Byte]): DataInputStream = new DataInputStream(
    new ByteArrayInputStream(bytes)
  )
}

private final case class StateBytes(newestRecord: Int, all: Long)
