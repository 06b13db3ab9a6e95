// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.collection.mutable

import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.source.{ReadLimits, SourceDriver}
import stoplog.laws.MemoryState
import stoplog.storage.hadoop.{HadoopDefaults, HadoopFiles, HadoopSettings, HadoopSourceFiles, Renaming}
import stoplog.storage.local.{LocalSourceFiles, LocalUnderTest}
import stoplog.storage.{DirectoryState, ForwardingSourceFiles, Found, SourceFile, SourceFiles}

/** Symbolic links in the input, put there by somebody who may do no more than that. */
class LinksSuite extends AnyFunSuite with BeforeAndAfterEach {
  private var world: Path = _
  private def in: Path    = world.resolve("in")
  private def secret      = world.resolve("secret")

  override def beforeEach(): Unit = {
    world = Files.createTempDirectory("stoplog-links").toRealPath()
    Files.createDirectory(in)
    write("secret/id", "secret")
  }

  override def afterEach(): Unit = LocalUnderTest.remove(world)

  test("rejects a link that leads outside the source's path by name") {
    write("in/a", "1")
    for (target <- Seq(secret, secret.resolve("id"), world)) {
      val link  = Files.createSymbolicLink(in.resolve("link"), target)
      val error = intercept[StoplogException](names())
      assert(error.getCondition === "STOPLOG_SOURCE_LINK")
      assert(error.getMessage.contains(s"$link: it points to $target, which"), error.getMessage)
      Files.delete(link)
    }
    assert(names() === Seq("a"))
  }

  test("ignores links excluded by the path rules") {
    write("in/a.csv", "1")
    Files.createSymbolicLink(in.resolve(".hidden"), secret)
    Files.createSymbolicLink(in.resolve("_hidden"), secret)
    Files.createSymbolicLink(in.resolve("id.txt"), secret.resolve("id"))
    val csv = PathRules.all.copy(names = Glob.parse("*.csv").toOption)
    assert(names(rules = csv) === Seq("a.csv"))
  }

  test("a path that becomes a link after the listing is neither read nor cleaned") {
    for (cleaning <- Seq(CleanSource.Delete, CleanSource.Archive(world.resolve("away").toString))) {
      val file = write("in/d/id", "secret")
      Files.setLastModifiedTime(file, Files.getLastModifiedTime(secret.resolve("id")))
      val files  = new LocalSourceFiles(in.toString)
      val listed = SourceFile("d/id", 6, Files.getLastModifiedTime(file).toMillis)
      Files.delete(file)
      Files.delete(file.getParent)
      Files.createSymbolicLink(in.resolve("d"), secret)
      assert(condition(files.open(listed, 0)) === "STOPLOG_SOURCE_LINK")
      assert(condition(files.locate("d/id")) === "STOPLOG_SOURCE_LINK")
      assert(condition(files.list("d")(_ => ())) === "STOPLOG_SOURCE_LINK")
      val cleaner = new CleanSource.Cleaner(files, cleaning, Faults.none)
      assert(cleaner.clean(Iterator(listed)) === Vector(listed -> CleanSource.Cleaned.Left))
      assert((cleaner.cleanedFiles, cleaner.failedFiles) === ((0, 1)))
      assert(Files.readString(secret.resolve("id")) === "secret")
      assert(!Files.exists(world.resolve("away/d/id")))
      Files.delete(in.resolve("d"))
    }
  }

  test("cleaning skips linked files and cleans files without links") {
    write("in/.kept/a", "1")
    write("in/b", "2")
    Files.createSymbolicLink(in.resolve("way"), in.resolve(".kept"))
    Files.createSymbolicLink(in.resolve("file"), in.resolve(".kept/a"))
    for (cleaning <- Seq(CleanSource.Archive(world.resolve("away").toString), CleanSource.Delete)) {
      val driver = driverOf(cleaning)
      val end    = driver.plan(0, ReadLimits.none)
      assert(driver.splits(0, end).map(_.file.path).toSet.subsetOf(Set("way/a", "file", "b")))
      driver.committed(end)
      assert(driver.metrics("uncleanedFiles") === "2")
    }
    assert(Files.readString(in.resolve("way/a")) === "1" && Files.isSymbolicLink(in.resolve("file")))
    assert(!Files.exists(in.resolve("b")) && Files.exists(world.resolve("away/b")))
    assert(!Files.exists(world.resolve("away/way")) && !Files.exists(world.resolve("away/file")))
  }

  test("reads targets once, prefers paths without links, and reads each link to a file") {
    write("in/deep/er/a", "1")
    write("in/b", "2")
    write("in/.v1/c", "3")
    write("in/.v1/d", "4")
    Files.createSymbolicLink(in.resolve("again"), in.resolve("deep/er"))
    Files.createSymbolicLink(in.resolve("latest"), in.resolve("b"))
    Files.createSymbolicLink(in.resolve("one"), in.resolve(".v1"))
    Files.createSymbolicLink(in.resolve("two"), in.resolve(".v1"))
    Files.createSymbolicLink(in.resolve("file"), in.resolve(".v1/c"))
    Files.createSymbolicLink(in.resolve("same"), in.resolve(".v1/c"))
    assert(names() === Seq("b", "deep/er/a", "file", "one/c", "one/d", "same"))
  }

  test("link loops end, and every directory is listed once") {
    write("in/sub/a", "1")
    Files.createSymbolicLink(in.resolve("self"), Path.of("."))
    Files.createSymbolicLink(in.resolve("sub/loop"), Path.of(".."))
    assert(names() === Seq("sub/a"))
    // Each hidden directory has links to all.
    for (n <- 1 to 12) write(s"in/.h$n/f$n", s"$n")
    for {
      n  <- 1 to 12
      to <- 1 to 12
    }
      Files.createSymbolicLink(in.resolve(s".h$n/to$to"), in.resolve(s".h$to"))
    Files.createSymbolicLink(in.resolve("way"), in.resolve(".h1"))
    val listed = mutable.ArrayBuffer.empty[String]
    val all    = names(new Listed(new LocalSourceFiles(in.toString), listed))
    assert(all.map(_.split('/').last).sorted === ("a" +: (1 to 12).map(n => s"f$n")).sorted)
    assert(listed.size === 2 + 12)
    assert(all === names(), "the paths are the same each time")
  }

  test("a link to itself is an error, and a dangling link is ignored") {
    write("in/a", "1")
    Files.createSymbolicLink(in.resolve("dangling"), in.resolve("none"))
    assert(names() === Seq("a"))
    Files.createSymbolicLink(in.resolve("self"), Path.of("self"))
    assert(condition(names()) === "STOPLOG_SOURCE_LINK")
  }

  test("the source's path and its parents may be links") {
    write("in/real/a", "1")
    val up = Files.createSymbolicLink(world.resolve("up"), in)
    Files.createSymbolicLink(world.resolve("way"), in.resolve("real"))
    for (root <- Seq("way", "up/real")) {
      val files = new LocalSourceFiles(world.resolve(root).toString)
      assert(names(files) === Seq("a"))
      assert(new String(files.open(SourceFile("a", 1, 0), 0).readAllBytes()) === "1")
    }
    new LocalSourceFiles(up.toString).delete("real/a")
    assert(!Files.exists(in.resolve("real/a")))
  }

  test("with several paths, a link must lead inside a configured path") {
    write("x/a", "1")
    write("y/b", "2")
    Files.createSymbolicLink(world.resolve("link"), world.resolve("y"))
    val both  = Vector(Vector("x"), Vector("link")).map(_.map(Glob.parse(_).toOption.get))
    val files = new LocalSourceFiles(world.toString, named = Vector("x", "link"))
    val rules = PathRules.all.copy(below = both)
    assert(names(files, rules) === Seq("link/b", "x/a"))
    Files.createSymbolicLink(world.resolve("x/in-y"), world.resolve("y/b"))
    assert(names(files, rules) === Seq("link/b", "x/a"))
    Files.createSymbolicLink(world.resolve("x/out"), secret)
    assert(condition(names(files, rules)) === "STOPLOG_SOURCE_LINK")
  }

  test("of several paths, a link to another path adds nothing") {
    write("in/v2/a", "1")
    write("x/b", "2")
    Files.createSymbolicLink(in.resolve("current"), in.resolve("v2"))
    for (name <- Seq("one", "two")) Files.createSymbolicLink(in.resolve(name), world.resolve("x"))
    val top                   = Files.createSymbolicLink(world.resolve("top"), in)
    def found(paths: String*) = {
      val globs = paths.map(Glob.parse(_).toOption.get)
      val named = paths.map(path => if (Glob.isPattern(path)) "" else path).distinct.toVector
      names(
        new LocalSourceFiles(top.toString, named = named),
        PathRules.all.copy(below = globs.map(Vector(_)).toVector)
      )
    }
    for (paths <- Seq("current", "v2").permutations ++ Seq("current", "v*").permutations)
      assert(found(paths: _*) === Seq("v2/a"), paths)
    assert(found("one", "two") === Seq("one/b"))
    assert(found("two", "one") === Seq("two/b"))
    assert(found("current", "w*") === Seq("current/a"), "the pattern does not include the target")
  }

  test("a file moved onto itself stays") {
    val file     = write("in/a", "1")
    val settings = new HadoopSettings(HadoopDefaults.configuration())
    val hadoop   = new HadoopFiles(s"file:$file", settings, Renaming.Checked)
    for (files <- Seq(new LocalSourceFiles(file.toString), new HadoopSourceFiles(hadoop)))
      intercept[IOException](files.move("", file.toString))
    assert(Files.readString(file) === "1")
  }

  private def names(
      files: SourceFiles = new LocalSourceFiles(in.toString),
      rules: PathRules = PathRules.all
  ): Seq[String] = {
    val found = mutable.ArrayBuffer.empty[String]
    DirectoryWalker.run(files, rules, DirectoryWalker.Threads)(found += _.path)
    found.toVector.sorted
  }

  private def driverOf(cleaning: CleanSource): SourceDriver[FileSplit] = {
    val format = TextLines.format()
    val files  = new LocalSourceFiles(in.toString)
    val all    =
      TextLines.enumeration(files, format).copy(monitoring = Monitoring(cleaning = cleaning))
    new SourceDriver(
      new FileSplitSource("links", all, format, OnMissingFile.Fail),
      new MemoryState,
      keptBatches = 3
    )
  }

  private def condition(action: => Any): String = intercept[StoplogException](action).getCondition

  private def write(path: String, text: String): Path = {
    val file = world.resolve(path)
    Files.createDirectories(file.getParent)
    Files.writeString(file, text)
  }
}

/** Notes which directories are listed. */
private final class Listed(files: SourceFiles, listed: mutable.Buffer[String])
    extends ForwardingSourceFiles(files) {
  override def state(directory: String): Option[DirectoryState]   = None // so every directory is listed
  override def list(directory: String)(each: Found => Unit): Unit = {
    listed.synchronized(listed += directory)
    files.list(directory)(each)
  }
}
