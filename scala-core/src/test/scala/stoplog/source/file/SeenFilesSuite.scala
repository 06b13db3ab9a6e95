// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.MemoryState
import stoplog.storage.{Ending, FileId, SourceFile}

/** What is remembered, against a plain map, over compactions and restarts. */
class SeenFilesSuite extends AnyFunSuite {

  test("a long life of files that come, change and go") {
    val random   = new Random(7)
    val state    = new MemoryState
    val assigned = mutable.Buffer.empty[FileSplit]
    val there    = mutable.Map.empty[String, SourceFile]
    var seen     = new SeenFiles(state, SeenWidth.Plain, SeenFiles.SeenLimits(20, 100))
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
          there.keys.foreach(path => seen.sighted(PathHash.of(path)))
          seen.endListing()
        }
      }
      val snapshot = new ByteArrayOutputStream()
      seen.snapshot(assigned.size.toLong, new DataOutputStream(snapshot))
      if (round % 5 == 0) {
        seen = new SeenFiles(state, SeenWidth.Plain, SeenFiles.SeenLimits(20, 100))
        seen.restore(
          new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray)),
          from => assigned.drop(from.toInt).iterator
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

  for ((width, bytes) <- Seq(SeenWidth.Plain -> 24, SeenWidth.Marked -> 32))
    test(s"state takes $bytes bytes for each file: $width") {
      val state                    = new MemoryState
      val seen                     = new SeenFiles(state, width, SeenFiles.SeenLimits(1, 1))
      def file(n: Int): SourceFile =
        SourceFile(s"some/directory/with/a/name/part-$n.txt", n.toLong, n.toLong, FileId(n.toLong), Ending(n))
      for (n <- 1 to 30000) seen.put(file(n))
      val snapshot = new ByteArrayOutputStream()
      seen.snapshot(30000, new DataOutputStream(snapshot))
      assert((state.files.values.map(_.length.toLong).sum - bytes * 30000L).abs <= 64)
      val restored = new SeenFiles(state, width)
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
        assert(known.ofId(SourceFile("new", 1, 1, FileId(70000))).isEmpty)
      }
    }

  test("state that was kept without marks is read on with marks") {
    val state    = new MemoryState
    val seen     = new SeenFiles(state, SeenWidth.Plain, SeenFiles.SeenLimits(1, 1))
    val snapshot = new ByteArrayOutputStream()
    seen.put(SourceFile("a", 1, 2, FileId(3)))
    seen.snapshot(1, new DataOutputStream(snapshot))
    val marked = new SeenFiles(state, SeenWidth.Marked, SeenFiles.SeenLimits(1, 1))
    marked.restore(new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray)), _ => Iterator.empty)
    assert(marked.find("a") === Some(FileIdentity(1, 2)))
    marked.put(SourceFile("b", 4, 5, FileId(6)))
    marked.snapshot(2, new DataOutputStream(new ByteArrayOutputStream()))
    assert(marked.find("a") === Some(FileIdentity(1, 2)))
    assert(marked.ofId(SourceFile("c", 4, 5, FileId(6))).map(_.bytes) === Vector(4))
  }
}
