// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayOutputStream, IOException, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.laws.MemoryState
import stoplog.source._
import stoplog.storage.{ForwardingSourceFiles, SourceFile, SourceFiles}

/** What is left out of files, and what is noted. */
class QuarantineSuite extends AnyFunSuite {

  test("a malformed line is skipped and quarantined with file, position and bytes") {
    val world = new Fixture
    world.files.put("a", "1\nbad one\n2\nbad two\n", 7)
    assert(world.read("a") === Seq("1", "2"))
    assert(
      world.notes === Seq(
        """{"file":"memory:a","fileBytes":20,"fileModifiedMillis":7,"position":"byte 2","cause":"no number",""" +
          """"leftOut":"record","text":"bad one","recordBytes":7}""",
        """{"file":"memory:a","fileBytes":20,"fileModifiedMillis":7,"position":"byte 12","cause":"no number",""" +
          """"leftOut":"record","text":"bad two","recordBytes":7}"""
      )
    )
    assert(world.source.metrics === Map("quarantinedFiles" -> "0", "quarantinedRecords" -> "2"))
  }

  test("a record is either read or quarantined as a whole") {
    val world = new Fixture
    world.files.put("a", "1 2\n3 bad 4\n5\n", 1)
    assert(world.read("a") === Seq("1", "2", "5"))
    assert(world.notes.size === 1)
  }

  test("repeated reads quarantine each record once") {
    val world = new Fixture
    world.files.put("a", (1 to 50000).map(n => if (n % 3 == 0) s"bad $n" else s"$n").mkString("\n"), 1)
    val first = world.read("a")
    val notes = world.state.files.view.mapValues(_.toSeq).toMap
    assert(notes.size > 2 && world.notes.distinct.size === 16666)
    assert(world.read("a") === first)
    assert(world.state.files.view.mapValues(_.toSeq).toMap === notes)
    world.files.put("a", "bad again\n", 2)
    world.read("a")
    assert(world.notes.size === 16667, "a file that was written anew is another")
  }

  test("an aborted attempt quarantines only records that the next attempt also quarantines") {
    val world = new Fixture
    world.files.put("a", (1 to 25000).map(n => if (n == 15000) "1" else s"bad $n").mkString("\n"), 1)
    val broken = new ReadLoop(world.source, Seq(world.whole("a")))
    assert(broken.next())
    broken.close()
    assert(world.notes.nonEmpty && world.notes.size < 15000)
    assert(world.read("a") === Seq("1"))
    assert(world.notes.size === 24999 && world.notes.distinct.size === 24999)
  }

  test("after a loss of record boundaries, the rest of the piece is quarantined") {
    val world = new Fixture
    world.files.put("a.gz", torn((1 to 100000).map(_.toString)), 1)
    world.files.put("b", "1\n", 2)
    val rows = world.read("a.gz", "b")
    assert(rows.size > 10000 && firstWrong(rows.init) === None && rows.last === "1")
    assert(world.notes.size === 1)
    val note = world.notes.head
    assert(note.contains(s""""leftOut":"rest","piece":"records from 0","recordsRead":${rows.size - 1}"""))
    assert(note.contains("\"position\":\"byte ") && note.contains("\"cause\":\"Unexpected end"))
    assert(world.source.metrics === Map("quarantinedFiles" -> "1", "quarantinedRecords" -> "0"))
    assert(world.read("a.gz", "b") === rows)
    assert(world.notes === Seq(note))
  }

  test("the driver counts lines and leaves a broken file to its reader") {
    val world = new Fixture
    world.files.put("a.gz", torn((1 to 100000).map(_.toString)), 1)
    val driver  = new SourceDriver[FileSplit](world.source, new MemoryState)
    val limits  = ReadLimits.none.copy(records = Some(10000))
    var from    = 0L
    var rows    = Vector.empty[String]
    var batches = 0
    while ({
      val end = driver.plan(from, limits)
      rows ++= world.rows(driver.splits(from, end).toVector)
      val more = end > from
      from = end
      batches += 1
      more
    }) ()
    assert(rows.size > 10000 && firstWrong(rows) === None)
    assert(batches > 3)
    assert(world.notes.size === 1)
  }

  test("a storage failure does not quarantine the file") {
    val world = new Fixture
    world.files.put("a.gz", torn((1 to 10).map(_.toString)), 1)
    world.files.put("b", "1\n2\n", 1)
    world.broken = Int.MaxValue
    for (file <- Seq("a.gz", "b")) {
      val error = intercept[StoplogException](world.read(file))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_UNREADABLE")
      assert(error.getMessageParameters.get("file") === s"memory:$file")
    }
    assert(world.notes.isEmpty)
  }

  test("a transient failure skips no rows") {
    val world = new Fixture
    world.files.put("a", (1 to 1000).mkString("\n"), 1)
    world.broken = 1
    assert(world.read("a") === (1 to 1000).map(_.toString))
    assert(world.notes.isEmpty)
  }

  test("a deleted file fails as without a quarantine") {
    val world = new Fixture
    world.files.put("a", "1\n", 1)
    val split = world.whole("a")
    world.files.delete("a")
    val error = intercept[StoplogException](world.rows(Seq(split)))
    assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
  }

  test("quarantined text is limited in size, and binary text is in base 64") {
    val world = new Fixture
    world.files.put("a", "bad" + "x" * 100000 + "\n", 1)
    world.files.put("b", "bad ".getBytes(UTF_8) ++ Array[Byte](-1, -2), 1)
    world.read("a", "b")
    assert(world.notes.exists(note => note.length < 70000 && note.contains("\"recordBytes\":100003")))
    assert(world.notes.exists(_.contains("\"base64\":\"YmFkIP/+\"")))
  }

  test("cleanSource keeps a file with skipped bytes that the quarantine lacks") {
    val world = new Fixture(new CleanSource.DeleteNoted(_))
    world.files.put("whole", "1\n", 1)
    world.files.put("noted", "bad\n2\nbad \"recordBytes\":9}\n", 1)
    world.files.put("long", "bad" + "x" * Quarantine.MostRawBytes + "\n3\n", 1)
    world.files.put("torn.gz", torn((1 to 10000).map(_.toString)), 1)
    world.files.put("later", "bad\n", 1)
    val driver = new SourceDriver[FileSplit](world.source, new MemoryState)
    val end    = driver.plan(0, ReadLimits.none)
    world.rows(driver.splits(0, end).toVector)
    world.files.put("later", "bad, written anew\n", 2)
    driver.committed(end)
    assert(world.files.paths === Set("long", "torn.gz", "later"))
    assert((driver.metrics("cleanedFiles"), driver.metrics("uncleanedFiles")) === (("2", "3")))
  }

  test("cleanSource keeps a file that a program replaces while the notes are read") {
    val world = new Fixture(new CleanSource.DeleteNoted(_))
    world.files.put("a", "1\nbad\n", 1)
    val driver = new SourceDriver[FileSplit](world.source, new MemoryState)
    val end    = driver.plan(0, ReadLimits.none)
    world.rows(driver.splits(0, end).toVector)
    world.state.beforeOpen = _ => world.files.put("a", "2\n", 2)
    driver.committed(end)
    assert(world.files.paths === Set("a"))
  }

  /** The first row that is not its number, with its place: a hundred thousand rows would make no message. */
  private def firstWrong(rows: Vector[String]): Option[(Int, String)] =
    rows.indices.find(at => rows(at) != (at + 1).toString).map(at => at -> rows(at))

  private def torn(lines: Seq[String]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new GZIPOutputStream(bytes)
    out.write(lines.mkString("\n").getBytes(UTF_8))
    out.close()
    bytes.toByteArray.dropRight(bytes.size / 3)
  }

  private final class Fixture(cleaning: StateFiles => CleanSource = _ => CleanSource.Keep) {
    val files  = new MemoryFiles
    val state  = new MemoryState
    var broken = 0 // so many streams break

    private val breaking: SourceFiles = new ForwardingSourceFiles(files) {
      override def canAppend: Boolean                              = true // as on a disk
      override def open(file: SourceFile, from: Long): InputStream = {
        val in = files.open(file, from)
        if (broken == 0) in
        else {
          broken -= 1
          () => throw new IOException("no answer")
        }
      }
    }

    private val decoding = new Decoding {
      override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] =
        Option.when(file.path.endsWith(".gz"))(new GZIPInputStream(_))
    }

    private val format = new LineFormat[String](
      decoding,
      LineReader.Separator.AnyLineEnd,
      () =>
        (line, out) =>
          SourceTexts.text(line).split(' ').foreach { word =>
            if (word.startsWith("bad")) throw new IllegalArgumentException("no number")
            out.put(word)
          }
    )

    val source: SplitSource[FileSplit, QuarantiningSource.HeldRows[String], String] = {
      val enumeration = Enumeration(
        breaking,
        FileSelection(PathRules.all),
        new FileSplitter.Lenient(format.splitter(breaking)),
        Monitoring(cleaning = cleaning(state))
      )
      new QuarantiningSource(
        new FileSplitSource("memory", enumeration, format, OnMissingFile.Fail),
        breaking,
        state,
        enumeration.splitter
      )
    }

    def whole(path: String): FileSplit = format.splitter(files).whole(files.file(path))

    def read(paths: String*): Vector[String] = rows(paths.map(whole))

    def rows(splits: Seq[FileSplit]): Vector[String] = TextLines.rows(source, splits)

    def notes: Seq[String] =
      state.files.values.toSeq.flatMap(bytes => new String(bytes, UTF_8).linesIterator)
  }
}
