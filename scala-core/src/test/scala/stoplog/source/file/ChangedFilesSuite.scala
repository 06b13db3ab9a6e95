// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, StandardCopyOption}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.laws.MemoryState
import stoplog.source.{ReadLimits, SplitSource}
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.source.file.OnMissingFile.{Fail, Skip}
import stoplog.storage.local.LocalSourceFiles

/** Files that become others while they are read in pieces. */
class ChangedFilesSuite extends AnyFunSuite {
  private val lines          = Vector("one", "two", "three", "four", "five")
  private val text           = lines.map(_ + "\n").mkString
  private val rows           = ReadLimits.none.copy(records = Some(2))
  private val limits         = Seq(ReadLimits.none.copy(bytes = Some(6)), rows)
  private val cuts           = limits.map("a" -> _) :+ ("a.gz" -> rows)
  private val gzip: Decoding = (_, file) => Option.when(file.path.endsWith(".gz"))(new GZIPInputStream(_))

  test("a piece is read only from the listed version of its file") {
    for {
      (name, limit) <- cuts
      other         <- Seq("six\n", "seven\n" * 100, text) // shorter, longer, and of another time alone
    } {
      val world = this.world(OnChangedFile.Ignore)
      world.put(name, text, 1)
      val first = world.batch(limit)
      assert(lines.startsWith(first) && first.size < 5)
      world.put(name, other, 2000)
      for (_ <- 1 to 2) {
        val error = intercept[StoplogException](world.batch(limit))
        assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
        assert(error.getMessage.contains(s"memory:$name had "))
        assert(error.getMessage.contains("bytes of 1970-01-01T00:00:00.001Z when it was listed"))
        assert(error.getMessage.contains("bytes of 1970-01-01T00:00:02Z now"))
        world.driver.restart()
      }
      world.put(name, text, 1)
      assert(first ++ world.all(limit) === lines)
    }
  }

  test("a piece of a file that was replaced in the same second by as many bytes is noticed by the tag") {
    for {
      limit   <- limits
      hasTags <- Seq(true, false)
    } {
      val world = this.world(OnChangedFile.Ignore)
      world.driver.files.hasTags = hasTags
      world.put("a", text, 1)
      val first = world.batch(limit)
      world.put("a", text.replace('o', 'x'), 1)
      if (hasTags) {
        val error = intercept[StoplogException](world.batch(limit))
        assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
      } else assert((first ++ world.all(limit)).size === lines.size) // no store without tags can notice it
    }
  }

  for (changed <- Seq(OnChangedFile.Reread, OnChangedFile.Tail))
    test(s"onChangedFile=$changed notices by the tag a whole file replaced by as many bytes in a second") {
      val world = this.world(changed)
      world.driver.files.hasTags = true
      world.put("a", text, 1)
      val planned = world.driver.planInVain()
      world.put("a", text.replace('o', 'x'), 1)
      val error = intercept[StoplogException](TextLines.rows(world.driver.source, planned))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
    }

  test("onChangedFile=reread notices by the tag a cut file replaced in the same second by as many bytes") {
    for (limit <- limits) {
      val world = this.world(OnChangedFile.Reread)
      world.driver.files.hasTags = true
      world.put("a", text, 1)
      world.batch(limit)
      world.put("a", text.replace('o', 'x'), 1)
      val error = intercept[StoplogException](world.batch(limit))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
    }
  }

  test("onChangedFile=ignore reads a whole file of a local disk that a rename has replaced") {
    for {
      missing <- Seq(Fail, Skip)
      other   <- Seq("six\n", text.replace('o', 'x')) // shorter, and as long
    } {
      val world = new SourceWorld(OnChangedFile.Ignore, onMissing = missing)
      val root  = Files.createTempDirectory("stoplog-changed")
      world.storage = new LocalSourceFiles(root.toString)
      world.restart()
      Files.writeString(root.resolve("a"), text)
      assert(world.planInVain().size === 1)
      val made = Files.writeString(Files.createTempFile(root, "_", ""), other)
      Files.move(made, root.resolve("a"), StandardCopyOption.ATOMIC_MOVE)
      assert(world.all() === other.linesIterator.toVector)
    }
  }

  test("a read file that was replaced in the same second by as many bytes is not deleted") {
    for (hasTags <- Seq(true, false)) {
      val world = new SourceWorld(cleaning = CleanSource.Delete)
      world.files.hasTags = hasTags
      world.files.put("a", "one\n", 1)
      world.beforeCommit = () => world.files.put("a", "two\n", 1)
      assert(world.batch(ReadLimits.none) === Seq("one"))
      assert(world.files.paths === (if (hasTags) Set("a") else Set.empty))
    }
  }

  test("onMissing=skip also skips the rest of a changed file") {
    for {
      limit   <- limits
      changed <- Seq(OnChangedFile.Ignore, OnChangedFile.Reread, OnChangedFile.Tail)
    } {
      val world = this.world(changed, Skip)
      world.put("a", text, 1)
      world.put("b", "b\n", 3)
      world.batch(limit)
      world.put("a", "six\n", 2)
      val expected = if (changed == OnChangedFile.Ignore) Seq("b") else Seq("b", "six")
      assert(world.all(limit).sorted === expected, changed)
    }
  }

  test("onChangedFile=reread drops the rest of a changed file and reads the file again") {
    for {
      (name, limit) <- cuts
      restarts      <- Seq(false, true)
    } {
      val world = this.world(OnChangedFile.Reread)
      world.put(name, text, 1)
      world.batch(limit)
      world.put(name, "six\n", 2)
      if (restarts) world.driver.restart()
      assert(world.all(limit) === Seq("six"))
    }
  }

  test("onChangedFile=tail continues a file that grows between pieces and rejects a shorter file") {
    for (limit <- limits) {
      val world = this.world(OnChangedFile.Tail)
      world.put("a", text, 1)
      val first = world.batch(limit)
      world.put("a", text + "six\n", 2)
      val second = world.batch(limit)
      world.driver.restart()
      world.put("a", text + "six\nseven\n", 3)
      assert(first ++ second ++ world.all(limit) === lines ++ Seq("six", "seven"))
      refusesOneThatIsShorter(world, limit)
    }
  }

  test("an appended file is read to its listed size, or to its end if compressed") {
    for ((name, limit) <- cuts) {
      val world = this.world(OnChangedFile.Ignore)
      world.driver.files.appends = true
      world.put(name, text, 1)
      val first = world.batch(limit)
      world.append(name, text, "six\n" * 100, 2)
      val behind = if (name == "a") Seq.empty else Seq.fill(100)("six")
      assert(first ++ world.all(limit) === lines ++ behind)
      refusesOneThatIsShorter(world, limit)
    }
  }

  for (changed <- Seq(OnChangedFile.Reread, OnChangedFile.Tail))
    test(s"onChangedFile=$changed reads each version of a whole file at most once") {
      val others   = Seq("six\n", "seven\n" * 100, text.replace('o', 'x')) // shorter, longer, and as long
      val sameText = Option.when(changed == OnChangedFile.Reread)(text)    // of another time alone
      for (other <- others ++ sameText) {
        val world = this.world(changed)
        world.put("a", text, 1)
        val planned = world.driver.planInVain()
        world.put("a", other, 2000) // between the listing and the opening
        assert(TextLines.rows(world.driver.source, planned) === Vector.empty)
        assert(world.all(ReadLimits.none) === other.linesIterator.toVector)
      }
    }

  test("cleanSource reads each version of a whole file at most once") {
    for {
      appends <- Seq(true, false)
      other   <- Seq("six\n", "seven\n" * 100) // shorter, longer
    } {
      val world = new SourceWorld(cleaning = CleanSource.Delete, onMissing = Skip)
      world.files.appends = appends
      world.files.put("a", text, 1)
      world.planInVain()
      world.files.put("a", other, 2000) // between the listing and the opening
      val rows = other.linesIterator.toVector
      // Where files grow, a longer file counts as the listed file, stays, and is not read again.
      val expected = if (appends && other.length > text.length) rows.take(text.length / 6) else rows
      assert(world.all() === expected, s"$appends")
      assert(world.files.paths === (if (expected == rows) Set.empty else Set("a")))
    }
  }

  test("the reader checks the storage once per piece and never for a whole file") {
    val world = this.world(OnChangedFile.Ignore)
    world.put("a", text, 1)
    world.put("b", "b\n", 2)
    val splits = world.driver.planInVain()
    val source = world.driver.source
    world.driver.files.asked.clear()
    world.put("b", "c\n", 3)
    assert(TextLines.rows(source, splits) === lines :+ "c")
    assert(world.driver.files.asked.isEmpty)
    val pieces = splits.flatMap(source.divide(_, 6))
    assert(pieces.size === 5)
    assert(TextLines.rows(source, pieces) === lines :+ "c")
    assert(world.driver.files.asked === Map("a" -> 4))
  }

  test("pieces of a changed file are not quarantined") {
    val world = this.world(OnChangedFile.Ignore)
    world.put("a", text, 1)
    val state                                     = new MemoryState
    val source: SplitSource[FileSplit, _, String] =
      new QuarantiningSource(world.driver.source, world.driver.files, state, FileSplitter.WholeFiles(None))
    val pieces = world.driver.planInVain().flatMap(world.driver.source.divide(_, 6))
    world.put("a", "another", 2)
    val error = intercept[StoplogException](TextLines.rows(source, pieces))
    assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
    assert(state.files.isEmpty)
  }

  private def refusesOneThatIsShorter(world: Fixture, limit: ReadLimits): Unit = {
    world.put("b", text, 4)
    world.batch(limit)
    world.put("b", "six\n", 5)
    val error = intercept[StoplogException](world.batch(limit))
    assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED")
  }

  private def world(changed: OnChangedFile, missing: OnMissingFile = Fail): Fixture =
    new Fixture(new SourceWorld(changed, decoding = gzip, onMissing = missing))

  private final class Fixture(val driver: SourceWorld) {
    def batch(limits: ReadLimits): Vector[String] = driver.batch(limits)
    def all(limits: ReadLimits): Vector[String]   = driver.all(limits)

    def put(name: String, text: String, modifiedMillis: Long): Unit =
      driver.files.put(name, stored(name, text), modifiedMillis)

    def append(name: String, text: String, added: String, modifiedMillis: Long): Unit =
      driver.files.put(name, stored(name, text) ++ stored(name, added), modifiedMillis)

    private def stored(name: String, text: String): Array[Byte] = {
      val bytes = new ByteArrayOutputStream()
      val out   = if (name.endsWith(".gz")) new GZIPOutputStream(bytes) else bytes
      out.write(text.getBytes("UTF-8"))
      out.close()
      bytes.toByteArray
    }
  }
}
