// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.ByteArrayOutputStream

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{MemorySpoolFiles, Samples}
import stoplog.part.{RecordBytes, SpoolFile, Spooled}
import stoplog.storage.NewPart
import stoplog.thread.SharedMemory

class EarlierRowsSuite extends AnyFunSuite {
  private val header = SpoolFrames.Header("a format", "a directory".getBytes)
  private val first  = bytes(Some(header), Seq("one", "two"))
  private val second = bytes(None, Seq("three", "", "vier €"))

  test("rows of all files are read in order, and the header from the first file") {
    val rows = earlier(first, second)
    assert(rows.header.format === "a format")
    assert(rows.header.directory === header.directory)
    assert(texts(rows) === Vector("one", "two", "three", "", "vier €"))
  }

  test("concatenated files are a valid file, and the second header is not a row") {
    assert(texts(earlier(first ++ second)) === Vector("one", "two", "three", "", "vier €"))
  }

  test("a file with any flipped bit is a named error with the file name") {
    for {
      at  <- second.indices
      bit <- 0 until 8
    } {
      val flipped = second.updated(at, (second(at) ^ (1 << bit)).toByte)
      refused(s"byte $at, bit $bit", "file-1")(texts(earlier(first, flipped)))
    }
  }

  test("a header with any flipped bit is a named error with the file name") {
    for {
      at  <- bytes(Some(header), Seq.empty).indices
      bit <- 0 until 8
    } {
      val flipped = first.updated(at, (first(at) ^ (1 << bit)).toByte)
      refused(s"byte $at, bit $bit", "file-0")(earlier(flipped).header)
    }
  }

  test("a file truncated inside a frame is a named error with the file name") {
    for (length <- 1 until second.length)
      refused(s"$length bytes", "file-1")(texts(earlier(first, second.take(length))))
    for (length <- 0 until bytes(Some(header), Seq.empty).length)
      refused(s"$length bytes", "file-0")(earlier(first.take(length)).header)
  }

  test("rows in the record follow rows of files, or provide header and rows without files") {
    val spoolFiles = new NumberedSpoolFiles(Seq(first))
    val files      = Vector(SpoolFile("file-0", first.length.toLong, 0))
    val behind     = new EarlierRows(Spooled("0", files, 0, RecordBytes.of(second)), spoolFiles)
    assert(texts(behind) === texts(earlier(first, second)))
    val alone = new EarlierRows(Spooled("0", Vector.empty, 0, RecordBytes.of(first)), spoolFiles)
    assert(alone.header.format === earlier(first).header.format)
    assert(texts(alone) === texts(earlier(first)))
    refused("rows in the record", "in the log") {
      texts(new EarlierRows(Spooled("0", Vector.empty, 0, RecordBytes.of(first.dropRight(3))), spoolFiles))
    }
  }

  test("a part whose first file has no header is a named error") {
    refused("rows", "file-0")(earlier(second).header)
  }

  test("a missing file is a named error when its rows are due") {
    val spoolFiles = new MemorySpoolFiles
    val token      = spoolFiles.write(NewPart("b", "p", Samples.mine))(_.write(first))
    val beside     = Vector(SpoolFile(token, first.length.toLong, 0), SpoolFile("gone", 1, 0))
    val rows       = new EarlierRows(Spooled("0", beside, 0), spoolFiles).rows(TextRows.columns)
    assert(TextRows.texts(rows.take(2)) === Vector("one", "two"))
    assert(Samples.condition(rows.hasNext) === "STOPLOG_PART_SHORT")
  }

  private def refused(what: String, file: String)(action: => Any): Unit = {
    val error = intercept[Exception](action)
    error match {
      case named: SparkThrowable =>
        assert(named.getCondition === "STOPLOG_STORE_WRITE", what)
        assert(error.getMessage.contains(file), what)
      case other => fail(s"$what: $other")
    }
  }

  private def texts(rows: EarlierRows): Vector[String] = TextRows.texts(rows.rows(TextRows.columns))

  /** Files that are as long as their record says, whatever is in them. */
  private def earlier(files: Array[Byte]*): EarlierRows = {
    val spoolFiles = new NumberedSpoolFiles(files)
    val named      = files.indices.map(n => SpoolFile(s"file-$n", files(n).length.toLong, 0)).toVector
    new EarlierRows(Spooled("0", named, 0), spoolFiles)
  }

  private def bytes(header: Option[SpoolFrames.Header], rows: Seq[String]): Array[Byte] = {
    val out   = new ByteArrayOutputStream()
    val spool = new Spool(columns = 1, new SharedMemory(1 << 20))
    header.foreach(SpoolFrames.write(_, out))
    rows.foreach(text => spool.append(TextRows.of(text)))
    spool.writeTo(out)
    spool.clear()
    out.toByteArray
  }
}
