// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.{Admitted, Budget, ReadLimits, SplitSize}
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of blocks within limits of rows: blocks of 40 bytes and 10 rows, after a head of 4 bytes. */
class BlocksSuite extends AnyFunSuite {
  private val file   = SourceFile("f", 164, 1)
  private val blocks = framing(_ => Vector.tabulate(4)(n => Blocks.Block(4 + 40L * n, 24 + 40L * n, 10)))
  private val whole  = blocks.whole(file)

  test("admits all blocks within the row and byte limits") {
    assert(cut(whole, rows = 25) === Right((84, 20)))
    assert(cut(whole, rows = 30) === Right((124, 30)))
    assert(cut(whole, rows = 25, bytes = Some(50)) === Right((44, 10)))
    assert(blocks.admit(whole, budget(40, None)) === Admitted.All(whole, SplitSize(164, Some(40))))
  }

  test("an empty micro-batch admits a block of any size, and others do not") {
    assert(cut(whole, rows = 3) === Right((44, 10)))
    assert(cut(whole, rows = 30, bytes = Some(1)) === Right((44, 10)))
    assert(blocks.admit(whole, budget(30, None).copy(usedRecords = 25)) === Admitted.Nothing())
  }

  test("successive pieces contain every block once, regardless of the start") {
    for (from <- 0L to 163L) {
      var left: Option[FileSplit] = Some(FileSplit(file, Extent.Bytes(from, 164)))
      var rows                    = 0L
      while (left.isDefined) blocks.admit(left.get, budget(20, None)) match {
        case Admitted.All(_, size)        => rows += size.records.get; left = None
        case Admitted.Part(_, size, rest) => rows += size.records.get; left = Some(rest)
        case Admitted.Nothing()           => fail("no progress")
      }
      assert(rows === 10 * Seq(24, 64, 104, 144).count(_ >= from))
    }
  }

  test("an unreadable file is assigned to a task whole and without other splits") {
    val broken = framing(_ => throw new IOException("torn"))
    assert(broken.admit(whole, budget(5, None)) === Admitted.All(whole, whole.size))
    assert(broken.admit(whole, budget(5, None).copy(usedRecords = 1)) === Admitted.Nothing())
    val empty = framing(_ => Vector.empty)
    assert(empty.admit(whole, budget(5, None)) === Admitted.All(whole, SplitSize(164, Some(0))))
  }

  test("whole files count their known rows") {
    val one   = FileSplitter.WholeFiles(rows = Some(1))
    val split = one.whole(file)
    assert(one.admit(split, budget(1, None)) === Admitted.All(split, SplitSize(164, Some(1))))
    assert(one.admit(split, budget(1, Some(100))) === Admitted.Nothing())
    assert(FileSplitter.WholeFiles(rows = None).admit(split, budget(100, None)) === Admitted.Nothing())
  }

  private def framing(index: SourceFile => Vector[Blocks.Block]): Blocks =
    new Blocks(new MemoryFiles, (_: SourceFiles, file: SourceFile) => index(file))

  private def budget(rows: Long, bytes: Option[Long]) = Budget(ReadLimits(None, bytes, Some(rows)), 0, 0)

  /** Where it was cut, and how many rows are before. */
  private def cut(
      split: FileSplit,
      rows: Long,
      bytes: Option[Long] = None
  ): Either[Admitted[FileSplit], (Long, Long)] =
    blocks.admit(split, budget(rows, bytes)) match {
      case Admitted.Part(head, size, rest) if head.extent.until == rest.extent.from =>
        Right((rest.extent.from, size.records.get))
      case other => Left(other)
    }
}
