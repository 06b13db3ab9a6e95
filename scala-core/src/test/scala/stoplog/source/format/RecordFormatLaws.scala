// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.ByteArrayOutputStream
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source._
import stoplog.source.file._
import stoplog.source.file.FormatFiles.FormatRecord
import stoplog.storage.SourceFile

/** What any format of one's own must keep to. A suite of your format extends this and says what to try it with.
  *
  * @tparam R its records
  */
abstract class RecordFormatLaws[R] extends AnyFunSuite {

  def format: RecordFormat[R]

  /** A file of some dozens of records, and of at most some thousand bytes. */
  def content: Array[Byte]

  /** Whether tasks can read pieces of one file, which end anywhere. */
  def isSplittable: Boolean

  /** What of a record can be compared, and outlives the next. */
  def copied(record: R): Any = record

  test("repeated reads return the same records") {
    assert(all.sizeIs > 10)
    assert(read(whole) === all)
  }

  test("pieces of any size return the same records in parallel tasks") {
    for (bytes <- Seq(1L, 7L, 64L, 1L << 20)) assert(read(framing.divide(whole, bytes): _*) === all)
  }

  if (isSplittable)
    test("a cut at any byte leaves each record in a single piece") {
      assert(saysSplittable)
      for (at <- 0 to content.length) {
        val parts = Seq(Extent.Bytes(0, at.toLong), Extent.Bytes(at.toLong, content.length.toLong))
        assert(read(parts.map(FileSplit(file, _)): _*) === all, s"cut at byte $at")
      }
    }
  else
    test("a file that is not splittable is a single piece") {
      assert(!saysSplittable)
      assert(framing.divide(whole, 7) === Seq(whole))
    }

  test("micro-batches within any limits return the same records, over restarts") {
    for {
      plain   <- Seq(true, false)
      limit   <- limits
      restart <- Seq(false, true)
    } {
      val pieces = cut(plain, limit, restart)
      assert(read(pieces.map(_._1): _*) === all, s"$limit")
      for {
        rows          <- limit.records
        (piece, size) <- pieces
      } {
        assert(size.records === Some(read(piece).size.toLong))
        if (!isBulk) assert(size.records.get <= rows)
      }
    }
  }

  test("the rest after any record contains the following records") {
    for (plain <- Seq(true, false)) {
      val reader = files.reader(memory, OnMissingFile.Fail, Monitoring())
      reader.add(Seq(framing.whole(named(plain))))
      reader.fetch() match {
        case records: Fetched.Records[FileSplit, FormatRecord[R]] =>
          var before = 0
          while (records.advance()) {
            before += 1
            for (rest <- records.rest) assert(read(rest) === all.drop(before))
          }
          assert(before === all.size)
        case other => fail(s"$other, and no records")
      }
      reader.close()
    }
  }

  private val gunzip: Decoding = (_, file) =>
    Option.when(file.path.endsWith(".gz"))(in => new GZIPInputStream(in))

  private lazy val files =
    new FormatFiles[R, Any](format, gunzip, () => (record, out) => out.put(copied(record.value)))
  private lazy val framing = files.splitter(memory)
  private lazy val all     = read(whole)
  private lazy val memory  = {
    val made = new MemoryFiles
    made.put("f", content, 1)
    made.put("f.gz", if (isBulk) content else zipped, 1)
    made
  }

  private def limits: Seq[ReadLimits] =
    Seq(1L, 3L, 10L, 1000000L).map(n => ReadLimits(None, None, Some(n))) ++
      Seq(1L, 30L, 200L).map(n => ReadLimits(None, Some(n), None)) :+
      ReadLimits(None, Some(60L), Some(4L)) :+ ReadLimits.none

  private def named(plain: Boolean): SourceFile = if (plain) file else memory.file("f.gz")
  private def file: SourceFile                  = memory.file("f")
  private def whole: FileSplit                  = framing.whole(file)

  private def isBulk: Boolean = format.isInstanceOf[BulkFormat[_]]

  private def saysSplittable: Boolean = format match {
    case stream: StreamFormat[R]  => stream.isSplittable
    case bulk: BulkFormat[R]      => bulk.isSplittable
    case _: SimpleStreamFormat[R] => false
  }

  /** A file as micro-batches take it. */
  private def cut(plain: Boolean, limits: ReadLimits, restart: Boolean): Seq[(FileSplit, SplitSize)] = {
    var framing                 = files.splitter(memory)
    var left: Option[FileSplit] = Some(framing.whole(named(plain)))
    val pieces                  = Seq.newBuilder[(FileSplit, SplitSize)]
    while (left.isDefined) {
      if (restart) {
        framing.close()
        framing = files.splitter(memory)
      }
      framing.admit(left.get, Budget(limits, 0, 0)) match {
        case Admitted.All(piece, size)        => pieces += piece -> size; left = None
        case Admitted.Part(piece, size, rest) => pieces += piece -> size; left = Some(rest)
        case Admitted.Nothing()               => pieces += left.get -> left.get.size; left = None
      }
    }
    framing.close()
    pieces.result()
  }

  private def read(splits: FileSplit*): Vector[Any] = {
    val reader = files.reader(memory, OnMissingFile.Fail, Monitoring())
    val rows   = Vector.newBuilder[Any]
    reader.add(splits)
    var over = false
    while (!over) reader.fetch() match {
      case records: Fetched.Records[FileSplit, FormatRecord[R]] =>
        while (records.advance()) rows += copied(records.record.value)
      case Fetched.Nothing  => ()
      case Fetched.Finished => over = true
    }
    reader.close()
    rows.result()
  }

  private def zipped: Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new GZIPOutputStream(bytes)
    out.write(content)
    out.close()
    bytes.toByteArray
  }
}
