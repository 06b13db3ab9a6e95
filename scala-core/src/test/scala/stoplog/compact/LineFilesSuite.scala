// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.{UTF_16LE, UTF_8}
import java.nio.file.Files
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.util.{Try, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.LineFiles
import stoplog.format.LineFiles.Beginning
import stoplog.format.compress.Compression

/** Files of lines by any writer, merged. */
class LineFilesSuite extends AnyFunSuite {
  import CompactorsSuite.{FileOutput, newFile}

  test("later files lose their header, with any line end") {
    val unix = "id,word\n12,y\n"
    val dos  = "id,word\r\n1,x\r\n"
    val wide = "id,word  \n3,z"
    for (files <- Seq(dos, unix, wide).permutations) {
      val lines = mergedLines(Beginning.Header, "\n", files)
      assert(lines.startsWith(files.head.takeWhile(_ != '\n') + "\n"))
      assert(lines.linesIterator.toSeq.tail === files.map(_.linesIterator.toSeq.last))
    }
    val bare = mergedLines(Beginning.Header, "\n", Seq("id,word", "id,word", "id,word\n1,x\n"))
    assert(bare === "id,word\n1,x\n", "a header without rows leaves no line")
  }

  test("a last line without an end gets the configured line end") {
    assert(mergedLines(Beginning.Row, "\u0001", Seq("a\u0001b\u0001", "c")) === "a\u0001b\u0001c\u0001")
    assert(mergedLines(Beginning.Row, "\r\n", Seq("a\r\n", "b\n", "c\r\n")) === "a\r\nb\n\r\nc\r\n")
    assert(mergedLines(Beginning.Header, "||", Seq("h||a||", "h||b|", "h||")) === "h||a||b|||")
  }

  test("UTF-16, byte order marks and headers over several lines prevent compaction") {
    def likeness(bytes: Array[Byte], lineEnd: String = "\n", begins: Beginning = Beginning.Row) =
      Try(new LineFiles(Compression.None, begins, lineEnd).likeness(input(bytes))).toOption
    assert(likeness("{}\n".getBytes(UTF_8)) === Some(""))
    assert(likeness("{}\n".getBytes(UTF_16LE)) === None)
    assert(likeness("\ufeff{}\n".getBytes(UTF_16LE)) === None)
    assert(likeness("\ufeff{}\n".getBytes(UTF_8)) === None)
    assert(likeness("a\u0000b\u0000".getBytes(UTF_8), lineEnd = "\u0000") === Some(""))
    def header(text: String) = likeness(text.getBytes(UTF_8), begins = Beginning.Header)
    assert(header("a,b\r\n1,2\r\n") === Some("a,b"))
    assert(header("a,b\r1,2\r") === None)
    assert(header("a,\"b\nc\"\n1,2\n") === None)
    for (before <- Seq("", " ", "# by x", "#", "#by", "sep=;", "SEP=,"))
      assert(header(s"$before\na,b\n1,2\n") === None, before)
    assert(header("#chrom\tpos\n1\t2\n") === Some("#chrom\tpos"))
    assert(header("\ta\n0\t1\n") === Some("\ta"))
  }

  test("JSON is compacted if its first line is a value, unlike a multi-line document") {
    def isMerged(text: String, lineEnd: String = "\n") =
      Try(
        new LineFiles(Compression.None, Beginning.Json, lineEnd).likeness(input(text.getBytes(UTF_8)))
      ).isSuccess
    val long = s"""{"text":"${"x" * 5000}"""
    for (
      lines <- Seq(
        "{\"n\":1}\n{\"n\":2}\n",
        "\n \r\n{\"n\":[1]}\r\n{",
        "7",
        "'a'",
        "",
        s"$long\"}\n{}",
        s"\n$long\"}"
      )
    )
      assert(isMerged(lines), lines)
    for (document <- Seq("{\n\"n\":1\n}\n", "[\n{\"n\":1}\n]", "\n[{\"n\":1},\n{\"n\":2}]", "{", "no value"))
      assert(!isMerged(document), document)
    assert(isMerged("{\n}\u0001{}", lineEnd = "\u0001"), "the end of a line is what the option says")
  }

  for (compression <- Seq(Compression.Gzip, Compression.Bzip2, Compression.Lz4, Compression.Snappy))
    test(s"${compression.name}: the output has the lines of all files, and truncated files are rejected") {
      val codec                  = new CompressionCodecFactory(new Configuration(false))
      def byHadoop(text: String) = {
        val bytes = new ByteArrayOutputStream
        val out   = codec.getCodec(new HadoopPath(s"x${compression.suffix}")).createOutputStream(bytes)
        out.write(text.getBytes(UTF_8)) // at once
        out.close()
        bytes.toByteArray
      }
      val large = "x" * (300 << 10)
      val files = Seq(s"a$large\n", "", "b\n", "c").map(byHadoop) :+ Array.emptyByteArray
      val out   = newFile("merged")
      val lines = new LineFiles(compression, Beginning.Row, "\n")
      def merge(files: Seq[Array[Byte]]) =
        Using.resource(new FileOutput(out))(lines.compact(files.map(input), _))
      merge(files)
      val merged = codec
        .getCodec(new HadoopPath(s"x${compression.suffix}"))
        .createInputStream(Files.newInputStream(out))
      assert(new String(merged.readAllBytes(), UTF_8) === s"a$large\nb\nc\n")
      val torn = files.head.take(files.head.length - 9)
      intercept[java.io.IOException](merge(Seq(files(2), torn)))
      intercept[java.io.IOException](merge(Seq(torn, files(2))))
    }

  test("gzip: readers see all lines if a file of another writer ends in zeros") {
    def packed(text: String) = {
      val bytes = new ByteArrayOutputStream
      Using.resource(new GZIPOutputStream(bytes))(_.write(text.getBytes(UTF_8)))
      bytes.toByteArray
    }
    val padded = packed("a\n") ++ new Array[Byte](512)
    val merged = newFile("merged")
    val lines  = new LineFiles(Compression.Gzip, Beginning.Row, "\n")
    Using.resource(new FileOutput(merged))(lines.compact(Seq(padded, packed("b\n")).map(input), _))
    val found = Using.resource(new GZIPInputStream(Files.newInputStream(merged)))(_.readAllBytes())
    assert(new String(found, UTF_8) === "a\nb\n")
  }

  private def mergedLines(begin: Beginning, lineEnd: String, files: Seq[String]): String = {
    val merged = newFile("merged")
    val lines  = new LineFiles(Compression.None, begin, lineEnd)
    Using.resource(new FileOutput(merged))(lines.compact(files.map(text => input(text.getBytes(UTF_8))), _))
    Files.readString(merged)
  }

  private def input(bytes: Array[Byte]): CompactionInput = {
    val file = Files.write(newFile("lines"), bytes)
    CompactionInput(new HadoopPath(file.toUri), bytes.length.toLong, new Configuration)
  }
}
