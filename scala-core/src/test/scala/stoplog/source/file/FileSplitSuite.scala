// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, IOException,
  ObjectInputStream, ObjectOutputStream
}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.{Admitted, Budget, ReadLimits, SplitSize}
import stoplog.storage.{Ending, FileId, SourceFile}

/** Pieces of files, and where they are cut. */
class FileSplitSuite extends AnyFunSuite {
  private val file    = SourceFile("d/f", 1 << 20, 7)
  private val bytes   = FileSplit(file, Extent.Bytes(100, 300))
  private val records = FileSplit(file, Extent.Records(10, 30))
  private val toEnd   = FileSplit(file, Extent.Records(10, Extent.ToTheEnd))
  private val all     = FileSplit(file, Extent.Records(0, Extent.ToTheEnd))

  test("a split describes its extent and reports its known size") {
    val known = Seq(
      bytes   -> (("d/f bytes 100 to 300", SplitSize(200, None))),
      records -> (("d/f records 10 to 30", SplitSize(0, Some(20)))),
      toEnd   -> (("d/f records from 10", SplitSize(0, None))),
      all     -> (("d/f records from 0", SplitSize(1 << 20, None)))
    )
    for ((split, expected) <- known) assert((split.describe, split.size) === expected)
    assert(all.isFirst && !toEnd.isFirst && !bytes.isFirst)
  }

  test("split bytes and Java serialization keep id, ending, tag and time zone of the file") {
    for {
      id     <- Seq(FileId.Unknown, FileId(7), FileId.of(() => -1L))
      ending <- Seq(Ending.Unknown, Ending(-9))
      tag    <- Seq(None, Some("d41d8cd98f00b204e9800998ecf8427e-3"))
      zone   <- Seq(None, Some("America/Argentina/Buenos_Aires"))
    } {
      val marked = bytes.copy(file = file.copy(id = id, ending = ending, tag = tag, zone = zone))
      assert(FileSplit.Serializer.read(FileSplit.Serializer.version, in(written(marked))) === marked)
      val out = new ByteArrayOutputStream()
      new ObjectOutputStream(out).writeObject(marked)
      assert(new ObjectInputStream(new ByteArrayInputStream(out.toByteArray)).readObject() === marked)
    }
  }

  test("a piece and a rest have the split's kind, and an empty rest is none") {
    assert(bytes.piece(120, 130).extent === Extent.Bytes(120, 130))
    assert(records.piece(12, 13).extent === Extent.Records(12, 13))
    assert(bytes.rest(299) === Some(bytes.piece(299, 300)))
    assert(bytes.rest(300) === None)
    assert(
      bytes.cut(150, SplitSize(50, None)) ===
        Admitted.Part(bytes.piece(100, 150), SplitSize(50, None), bytes.piece(150, 300))
    )
  }

  test("a split survives a round trip in unchanged bytes") {
    for (split <- Seq(bytes, records, toEnd))
      assert(FileSplit.Serializer.read(1, in(written(split))) === split)
    val head = "0000000364 2f66 0000000000100000 0000000000000007".replace(" ", "")
    assert(hex(written(bytes)) === s"${head}010000000000000064000000000000012c")
    assert(hex(written(records)) === s"${head}02000000000000000a000000000000001e")
  }

  test("rejects a split of an unknown kind") {
    val broken = written(bytes)
    broken(broken.length - 17) = 3
    assert(intercept[IOException](FileSplit.Serializer.read(1, in(broken))).getMessage.contains("3"))
  }

  test("bytes are cut at the remaining budget, and small pieces wait") {
    val split                                  = FileSplit(file, Extent.Bytes(1000, 1001000))
    val extent                                 = Extent.Bytes(1000, 1001000)
    def admit(limit: Option[Long], used: Long) =
      FileSplitter.ByteRanges.admit(split, extent, Budget(ReadLimits(None, limit, None), used, 0))
    def cutAt(at: Long) = FileSplitter.ByteRanges.cut(split, extent, at, None)
    assert(admit(None, 5) === Admitted.All(split, split.size))
    assert(admit(Some(1000000), 0) === Admitted.All(split, split.size))
    assert(admit(Some(999999), 0) === cutAt(1000999))
    assert(admit(Some(5 + 262144), 5) === cutAt(1000 + 262144))
    assert(admit(Some(5 + 262143), 5) === Admitted.Nothing())
    assert(admit(Some(262143), 0) === cutAt(1000 + 262143))
    assert(admit(Some(0), 0) === cutAt(1001), "it goes on by a byte at least")
    assert(
      cutAt(1001) === Admitted.Part(split.piece(1000, 1001), SplitSize(1, None), split.piece(1001, 1001000))
    )
  }

  test("division into pieces covers all bytes once") {
    def divided(from: Long, until: Long, size: Long) =
      FileSplitter.ByteRanges
        .divide(bytes, Extent.Bytes(from, until), size)
        .map(p => (p.extent.from, p.extent.until))
    assert(divided(0, 10, 5) === Seq((0, 5), (5, 10)))
    assert(divided(0, 10, 4) === Seq((0, 3), (3, 6), (6, 10)))
    assert(divided(100, 111, 10) === Seq((100, 105), (105, 111)))
    assert(divided(7, 17, 10) === Seq((7, 17)))
    assert(divided(7, 7, 10) === Seq((7, 7)))
  }

  private def written(split: FileSplit): Array[Byte] = {
    val out = new ByteArrayOutputStream
    FileSplit.Serializer.write(split, new DataOutputStream(out))
    out.toByteArray
  }

  private def in(bytes: Array[Byte]) = new DataInputStream(new ByteArrayInputStream(bytes))

  private def hex(bytes: Array[Byte]): String = bytes.map(byte => f"${byte & 0xff}%02x").mkString
}
