// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.{Fit, ReadLimits, Room, SplitSize}
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of blocks within limits of rows: blocks of 40 bytes and 10 rows, after a head of 4 bytes. */
class BlocksSuite extends AnyFunSuite {
  private val file   = SourceFile("f", 164, 1)
  private val blocks = framing(_ => Vector.tabulate(4)(n => Block(4 + 40L * n, 24 + 40L * n, 10)))
  private val whole  = blocks.whole(file)

  test("as many blocks as fit, by rows and by bytes") {
    assert(cut(whole, rows = 25) === Right((84, 20)))
    assert(cut(whole, rows = 30) === Right((124, 30)))
    assert(cut(whole, rows = 25, bytes = Some(50)) === Right((44, 10)))
    assert(blocks.fit(whole, room(40, None)) === Fit.All(whole, SplitSize(164, Some(40))))
  }

  test("one block at least, but only where there is nothing else in the micro-batch") {
    assert(cut(whole, rows = 3) === Right((44, 10)))
    assert(cut(whole, rows = 30, bytes = Some(1)) === Right((44, 10)))
    assert(blocks.fit(whole, room(30, None).copy(usedRecords = 25)) === Fit.Nothing())
  }

  test("piece after piece has every block once, wherever the file was cut before") {
    for (from <- 0L to 163L) {
      var left: Option[FileSplit] = Some(FileSplit(file, Extent.Bytes(from, 164)))
      var rows                    = 0L
      while (left.isDefined) blocks.fit(left.get, room(20, None)) match {
        case Fit.All(_, size)        => rows += size.records.get; left = None
        case Fit.Part(_, size, rest) => rows += size.records.get; left = Some(rest)
        case Fit.Nothing()           => fail("no progress")
      }
      assert(rows === 10 * Seq(24, 64, 104, 144).count(_ >= from))
    }
  }

  test("a file that nobody can look into goes to a task as it is, and alone") {
    val broken = framing(_ => throw new IOException("torn"))
    assert(broken.fit(whole, room(5, None)) === Fit.All(whole, whole.size))
    assert(broken.fit(whole, room(5, None).copy(usedRecords = 1)) === Fit.Nothing())
    val empty = framing(_ => Vector.empty)
    assert(empty.fit(whole, room(5, None)) === Fit.All(whole, SplitSize(164, Some(0))))
  }

  test("whole files count as the rows that they are known to have") {
    val one   = WholeFiles(rows = Some(1))
    val split = one.whole(file)
    assert(one.fit(split, room(1, None)) === Fit.All(split, SplitSize(164, Some(1))))
    assert(one.fit(split, room(1, Some(100))) === Fit.Nothing())
    assert(WholeFiles(rows = None).fit(split, room(100, None)) === Fit.Nothing())
  }

  private def framing(index: SourceFile => Vector[Block]): Blocks =
    new Blocks(new MemoryFiles, (_: SourceFiles, file: SourceFile) => index(file))

  private def room(rows: Long, bytes: Option[Long]) = Room(ReadLimits(None, bytes, Some(rows)), 0, 0)

  /** Where it was cut, and how many rows are before. */
  private def cut(
      split: FileSplit,
      rows: Long,
      bytes: Option[Long] = None
  ): Either[Fit[FileSplit], (Long, Long)] =
    blocks.fit(split, room(rows, bytes)) match {
      case Fit.Part(head, size, rest) if head.extent.until == rest.extent.from =>
        Right((rest.extent.from, size.records.get))
      case other => Left(other)
    }
}
