// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.{Admitted, Budget, Fetched, ReadLimits}
import stoplog.storage.SourceFiles

/** Lines, however the file is cut and whatever the buffer does. */
class LineReaderSuite extends AnyFunSuite {

  test("recognizes line feeds, carriage returns and both, like Spark") {
    assert(lines("a\nb\r\nc\rd") === Seq("a", "b", "c", "d"))
    assert(lines("") === Seq.empty)
    assert(lines("\n") === Seq(""))
    assert(lines("\n\n a\r\r\n") === Seq("", "", " a", ""))
    assert(lines("no end") === Seq("no end"))
    assert(lines("\uFEFFmark\n") === Seq("mark"))
  }

  test("splits lines at a custom separator") {
    assert(lines("a||b||c", LineReader.Separator.of("||", SourceTexts.utf8)) === Seq("a", "b", "c"))
    assert(lines("a|\n|b||", LineReader.Separator.of("||", SourceTexts.utf8)) === Seq("a|\n|b"))
    assert(!LineReader.Separator.of("||", SourceTexts.utf8).isSelfSynchronizing)
    assert(LineReader.Separator.of("<>", SourceTexts.utf8).isSelfSynchronizing)
  }

  test("reads lines longer than the buffer") {
    val long = Seq.tabulate(5)(n => n.toString * (100000 * (n + 1)))
    assert(lines(long.mkString("\n")) === long)
  }

  test("a line longer than the limit is an error before the buffer holds the line") {
    val most = 1 << 20
    for ((bytes, fits) <- Seq(most -> true, most + 3 * LineReader.LeastBytes -> false, 300 * most -> false)) {
      val reader = new LineReader(LineReader.Separator.AnyLineEnd, most)
      var served = 0L
      reader.open(
        new java.io.InputStream {
          override def read(): Int = throw new UnsupportedOperationException
          override def read(to: Array[Byte], offset: Int, length: Int): Int = {
            val count = length.toLong.min(bytes - served).toInt
            java.util.Arrays.fill(to, offset, offset + count, 'a'.toByte)
            served += count
            if (count == 0) -1 else count
          }
        },
        0
      )
      def all(): Unit = while (reader.fill(Long.MaxValue)) ()
      if (fits) {
        all()
        assert(reader.next() && reader.length === bytes)
      } else {
        assert(intercept[java.io.IOException](all()).getMessage.contains("maxRecordSize"))
        assert(served < 2 * most)
      }
    }
  }

  test("a line longer than the limit is an error also in the buffer, unless the line is skipped") {
    for ((text, longest) <- Seq("abcd\nab\n" -> 4, "ab\nabcd" -> 4, "abcd\r\nx" -> 4)) {
      def reader(most: Int) = {
        val made = new LineReader(LineReader.Separator.AnyLineEnd, most)
        made.open(new java.io.ByteArrayInputStream(text.getBytes("UTF-8")), 0)
        while (made.fill(Long.MaxValue)) ()
        made
      }
      def all(of: LineReader): Unit = while (of.next()) ()
      all(reader(longest))
      val short = reader(longest - 1)
      assert(intercept[java.io.IOException](all(short)).getMessage.contains("maxRecordSize"))
      assert(short.position === text.indexOf("abcd"))
      assert(short.next(longest = Int.MaxValue))
    }
  }

  test("any cut assigns each line to a single piece") {
    val random = new Random(1)
    for (round <- 1 to 200) {
      val ends = Seq("\n", "\r\n", "\r")
      val text = Seq.fill(random.nextInt(12))("x" * random.nextInt(6) + ends(random.nextInt(3))).mkString +
        (if (random.nextBoolean()) "end" else "")
      val files = memory(text)
      val whole = lines(text)
      val cuts  = (Seq(0, text.length) ++ Seq.fill(3)(random.nextInt(text.length + 1))).sorted
      val found = cuts.zip(cuts.tail).flatMap { case (from, until) =>
        read(files, LineReader.Separator.AnyLineEnd, Extent.Bytes(from.toLong, until.toLong))
      }
      assert(found === whole, s"round $round: ${text.replace("\r", "R").replace("\n", "N")} at $cuts")
    }
  }

  test("any byte limit assigns each line to a single micro-batch, for every separator") {
    for {
      end  <- Seq("\n\n", "||", "aba", "<>", "\n")
      text <- Seq(s"a${end}${end.take(1)}b${end}c$end", s"$end${end}x$end${end.take(1)}", s"aa${end}bab$end")
      separator = LineReader.Separator.of(end, SourceTexts.utf8)
      files     = memory(text)
      framing   = new Lines(files, Decoding.None, separator)
      limit <- 1 to text.length + 1
    } {
      val limits                  = ReadLimits.none.copy(bytes = Some(limit.toLong))
      var left: Option[FileSplit] = Some(framing.whole(files.file("f")))
      var found                   = Seq.empty[String]
      while (left.isDefined) {
        val (piece, rest) = framing.admit(left.get, Budget(limits, 0, 0)) match {
          case Admitted.All(piece, _)        => (piece, None)
          case Admitted.Part(piece, _, rest) => (piece, Some(rest))
          case Admitted.Nothing()            => fail("no progress")
        }
        found ++= read(files, separator, piece.extent)
        left = rest
      }
      assert(found === lines(text, separator), s"'$text' by $limit bytes")
    }
  }

  test("no limit cuts a file before the end of its header, and each line is in a single micro-batch") {
    val comments: Heading = (bytes, offset, length) => length == 0 || bytes(offset) == '#'
    for {
      end <- Seq("\n", "\r\n", "||", "aba")
      separator =
        if (end == "\n" || end == "\r\n") LineReader.Separator.AnyLineEnd
        else LineReader.Separator.of(end, SourceTexts.utf8)
      text <- Seq("#1", "", "#2", "head", "x", "#3", "", "y").map(_ + end).mkString +: Seq(
        "#1",
        s"#1$end",
        ""
      )
      byBytes <- Seq(true, false)
      limit   <- 1 to text.length + 1
    } {
      val files   = memory(text)
      val framing = new Lines(files, Decoding.None, separator, heading = Some(comments))
      val most    = Some(limit.toLong)
      val limits  = if (byBytes) ReadLimits(None, most, None) else ReadLimits(None, None, most)
      var left: Option[FileSplit] = Some(framing.whole(files.file("f")))
      var found                   = Vector.empty[Seq[String]]
      while (left.isDefined) {
        val (piece, rest) = framing.admit(left.get, Budget(limits, 0, 0)) match {
          case Admitted.All(piece, _)        => (piece, None)
          case Admitted.Part(piece, _, rest) => (piece, Some(rest))
          case Admitted.Nothing()            => fail("no progress")
        }
        found :+= read(files, separator, piece.extent)
        left = rest
      }
      val clue = s"'$text' by $limit, $byBytes"
      assert(found.flatten === lines(text, separator), clue)
      assert(!text.contains("head") || found.head.contains("head"), clue)
      for (until <- 0 to text.length) {
        val whole = framing.complete(files.file("f"), until.toLong).get.end
        val all   = Lines.complete(files, files.file("f"), separator, until.toLong).end
        val known = text.take(all.toInt).contains(s"head$end")
        assert(whole === (if (known) all else 0), s"$clue, $until")
      }
    }
  }

  test("a piece from the start of a file fails if it ends before the header") {
    val comments: Heading = (bytes, offset, length) => length == 0 || bytes(offset) == '#'
    def first(text: String, until: Long): Seq[String] = {
      val files = memory(text)
      val piece = FileSplit(files.file("f"), Extent.Bytes(0, until))
      SourceTexts.read(readerOf(files, LineReader.Separator.AnyLineEnd, Some(comments)), Seq(piece))
    }
    for (until <- 1L to 6L) {
      val error = intercept[StoplogException](first("#1\n#2\nid\n1\n", until))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_SETTINGS")
      assert(error.getMessage.contains("its header follows the first of several pieces"))
    }
    assert(first("#1\n#2\nid\n1\n", 7) === Seq("#1", "#2", "id"))
    for (until <- 1L to 6L) assert(first("#1\n#2\n", until) === Seq("#1", "#2").take((until + 2).toInt / 3))
    assert(first("#1\n#2\nid\n1\n", 0) === Nil)
  }

  test("a cut in the byte order mark leaves the first line in the first piece") {
    for {
      end  <- Seq("\n", "<>")
      text <- Seq("", "one", end, s"$end$end", s"one${end}two$end")
    } {
      val separator =
        if (end == "\n") LineReader.Separator.AnyLineEnd else LineReader.Separator.of(end, SourceTexts.utf8)
      val files = memory(s"\uFEFF$text")
      val bytes = files.file("f").bytes
      val whole = lines(text, separator)
      for (size <- 1L to bytes) {
        val found = (0L until bytes by size).map { at =>
          read(files, separator, Extent.Bytes(at, (at + size).min(bytes)))
        }
        assert(found.flatten === whole, s"'$text' by $size bytes")
        assert(found.head.take(1) === whole.take(1), s"'$text' by $size bytes")
      }
    }
  }

  test("the rest after each record is readable as a separate split") {
    for (extent <- Seq(Extent.Bytes(0, 14), Extent.Records(0, Extent.ToTheEnd), Extent.Records(1, 3))) {
      val files = memory("one\ntwo\nthree\nfour\nfive")
      val all   = read(files, LineReader.Separator.AnyLineEnd, extent)
      for (stop <- 1 to all.size) {
        val reader = readerOf(files, LineReader.Separator.AnyLineEnd)
        reader.add(Seq(FileSplit(files.file("f"), extent)))
        var rest: Option[FileSplit] = None
        var seen                    = Vector.empty[String]
        while (seen.size < stop) reader.fetch() match {
          case records: Fetched.Records[FileSplit, Line] =>
            while (seen.size < stop && records.advance()) {
              seen :+= text(records.record)
              rest = records.rest
            }
          case _ => fail("no more records")
        }
        reader.close()
        assert(
          seen ++ rest.toSeq.flatMap(split =>
            read(files, LineReader.Separator.AnyLineEnd, split.extent)
          ) === all
        )
      }
    }
  }

  test("a reader continues at its position after wakeUp") {
    val files  = memory((1 to 100000).mkString("\n"))
    val reader = readerOf(files, LineReader.Separator.AnyLineEnd)
    reader.add(Seq(FileSplit(files.file("f"), Extent.Bytes(0, files.file("f").bytes))))
    var count = 0
    var woken = 0
    var over  = false
    while (!over) {
      reader.wakeUp()
      reader.fetch() match {
        case Fetched.Nothing                           => woken += 1
        case Fetched.Finished                          => over = true
        case records: Fetched.Records[FileSplit, Line] => while (records.advance()) count += 1
      }
      if (!over) reader.fetch() match {
        case records: Fetched.Records[FileSplit, Line] => while (records.advance()) count += 1
        case _                                         => over = true
      }
    }
    assert(count === 100000)
    assert(woken > 1)
  }

  test("lines that the opening has read are returned before a failure") {
    val files             = memory("ant\nbat\n")
    val damaged: Decoding = (_, _) =>
      Some(in =>
        new java.io.InputStream {
          private var reads        = 0
          override def read(): Int = throw new UnsupportedOperationException
          override def read(to: Array[Byte], offset: Int, length: Int): Int = {
            reads += 1
            if (reads == 1) in.read(to, offset, length) else throw new java.io.IOException("damaged")
          }
        }
      )
    val reader = new OpenLines.LineSplitReader(
      files,
      damaged,
      new LineReader(LineReader.Separator.AnyLineEnd, LineReader.MaxLineBytes),
      OnMissingFile.Fail,
      Monitoring()
    )
    reader.add(Seq(FileSplit(files.file("f"), Extent.Records(0, Extent.ToTheEnd))))
    val found = Vector.newBuilder[String]
    reader.fetch() match {
      case records: Fetched.Records[FileSplit, Line] =>
        while (records.advance()) found += text(records.record)
      case other => fail(s"$other")
    }
    assert(found.result() === Vector("ant", "bat"))
    assert(intercept[stoplog.error.StoplogException](reader.fetch()).getMessage.contains("damaged"))
  }

  private def memory(text: String): MemoryFiles = {
    val files = new MemoryFiles
    files.put("f", text, 1)
    files
  }

  private def lines(
      text: String,
      separator: LineReader.Separator = LineReader.Separator.AnyLineEnd
  ): Seq[String] = {
    val files = memory(text)
    read(files, separator, Extent.Bytes(0, files.file("f").bytes))
  }

  private def readerOf(
      files: SourceFiles,
      separator: LineReader.Separator,
      heading: Option[Heading] = None
  ) =
    new OpenLines.LineSplitReader(
      files,
      Decoding.None,
      new LineReader(separator, LineReader.MaxLineBytes),
      OnMissingFile.Fail,
      Monitoring(),
      heading
    )

  private def read(files: MemoryFiles, separator: LineReader.Separator, extent: Extent): Seq[String] =
    SourceTexts.read(readerOf(files, separator), Seq(FileSplit(files.file("f"), extent)))

  private def text(line: Line) = SourceTexts.text(line)
}
