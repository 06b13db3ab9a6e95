// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{MemorySpoolFiles, Samples}
import stoplog.fault.Faults
import stoplog.part.{RecordShare, SpoolFile, Spooled}
import stoplog.storage.NewPart

class SpoolWriterSuite extends AnyFunSuite {
  private val part  = NewPart("b", "part-1", Samples.mine)
  private val store = new MemorySpoolFiles

  private def writer(together: Int): SpoolWriter = new SpoolWriter(store, Faults.none, together)

  private def more(text: String): Unflushed =
    Unflushed(text, UnflushedRows.More(_.write(text.getBytes)), storageBytes = 7)

  private def instead(text: String): Unflushed =
    Unflushed(text, UnflushedRows.Instead(_.write(text.getBytes)), storageBytes = 7)

  private def content(file: SpoolFile): String =
    new String(Using.resource(store.read(file))(_.readAllBytes()))

  private def epochs(count: Int, together: Int): Seq[Spooled] =
    (1 until count).scanLeft(writer(together).write(part, Spooled.nothing, instead("0."))) { (beside, n) =>
      writer(together).write(part, beside, more(s"$n."))
    }

  test("the spooled rows of all epochs are complete and in order for any fan-in") {
    for {
      together       <- Seq(2, 3, 16)
      (beside, last) <- epochs(300, together).zipWithIndex
    } assert(beside.files.map(content).mkString === (0 to last).map(n => s"$n.").mkString)
  }

  test("files of a level are combined into a file of the next level") {
    val levels = epochs(10, together = 3).map(_.files.map(_.level))
    assert(
      levels === Seq(
        Vector(0),
        Vector(0, 0),
        Vector(1),
        Vector(1, 0),
        Vector(1, 0, 0),
        Vector(1, 1),
        Vector(1, 1, 0),
        Vector(1, 1, 0, 0),
        Vector(2),
        Vector(2, 0)
      )
    )
    for {
      beside <- epochs(10, together = 3)
      file   <- beside.files
    }
      assert(file.sizeBytes === content(file).length)
  }

  test("the number of files and copies per row stays small") {
    val all = epochs(5000, together = 16)
    assert(all.map(_.files.size).max <= 3 * 15 + 1)
    assert(all.map(_.files.map(_.level).max).max <= 3)
  }

  test("a replacement leaves a single file, and an empty replacement leaves none") {
    val before = epochs(40, together = 3).last
    val after  = writer(together = 3).write(part, before, instead("new"))
    assert(after.files.map(content) === Vector("new"))
    assert(after.note === "new" && after.storageBytes === 7)
    assert(writer(together = 3).write(part, after, Unflushed.nothing) === Spooled.nothing)
    assert(
      before.files.map(content).mkString === (0 until 40).map(n => s"$n.").mkString,
      "nothing is deleted"
    )
  }

  test("a few rows stay in the record until the record's share is full") {
    def rows(beside: Spooled) = beside.files.map(content).mkString + new String(beside.inRecord.bytes)
    val all = (1 to 9).scanLeft(writer(3).write(part, Spooled.nothing, instead("0."), inRecordBytes = 6)) {
      (beside, n) => writer(3).write(part, beside, more(s"$n."), inRecordBytes = 6)
    }
    for ((beside, last) <- all.zipWithIndex) assert(rows(beside) === (0 to last).map(n => s"$n.").mkString)
    assert(all.map(_.inRecord.length) === Seq(2, 4, 6, 0, 2, 4, 6, 0, 2, 4))
    assert(all.map(_.files.size) === Seq(0, 0, 0, 1, 1, 1, 1, 2, 2, 2))
    assert(all.forall(_.hasRows))
    val anew = writer(3).write(part, all.last, instead("new"), inRecordBytes = 6)
    assert(anew.files.isEmpty && rows(anew) === "new")
    assert(writer(3).write(part, all.last, Unflushed.nothing, inRecordBytes = 6) === Spooled.nothing)
  }

  test("rows from the record move to the next file once the record has no share") {
    val few = writer(3).write(part, Spooled.nothing, instead("0."), inRecordBytes = 6)
    val now = writer(3).write(part, few, more("1."))
    assert(now.files.map(content) === Vector("0.1.") && now.inRecord.length === 0)
  }

  test("the record's share is divided among all parts of all tasks, with a limit") {
    val share = RecordShare(ofAllParts = 1000, ofOnePart = 300)
    assert(share.of(parts = 1, tasks = 2) === 300)
    assert(share.of(parts = 2, tasks = 2) === 250)
    assert(share.of(parts = 0, tasks = 1) === 300)
    assert(share.of(parts = 1001, tasks = 1) === 0)
    assert(share.of(parts = Int.MaxValue, tasks = 2) === 0)
    assert(RecordShare.none.of(parts = 1, tasks = 1) === 0)
    assert(share.copy(atLeast = 250).of(parts = 2, tasks = 2) === 250)
    assert(share.copy(atLeast = 251).of(parts = 2, tasks = 2) === 0)
  }

  test("a write fails if a file to combine is missing") {
    val before = epochs(2, together = 3).last
    store.discard(before.files.take(1).map(_.token))
    assert(Samples.condition(writer(together = 3).write(part, before, more("x"))) === "STOPLOG_PART_SHORT")
  }
}
