// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSource, FileSourceBuilder}
import stoplog.format.SparkSessionForTests
import stoplog.source.file._
import stoplog.storage.{Found, SourceFile, SourceFiles}

/** Other ways to find files than to list directories. */
class FileFinderSuite extends AnyFunSuite with SparkSessionForTests {

  test("a custom class lists the files of batches and streams") {
    val in = new Input
    in.write("a.txt", "ant\n")
    in.write("b.txt", "bat\n")
    in.write("deep/c.txt", "cat\n")
    in.write("_manifest", "b.txt\ndeep/c.txt\nnone.txt\n")
    val source = text(in).withFileEnumerator(classOf[ManifestFinder].getName)
    assert(source.build().read(spark).load().collect().map(_.getString(0)).toSet === Set("bat", "cat"))
    val place = new TestDirectory
    run(source, place)
    in.write("_manifest", "a.txt\nb.txt\ndeep/c.txt\n")
    run(text(in).withFileEnumerator(new ManifestFinder), place)
    assert(place.lines === Seq("ant", "bat", "cat"))
  }

  test("a file that a finder names twice, in any spelling, is read once") {
    val in = new Input
    in.write("a.txt", "ant\n")
    in.write("deep/b.txt", "bat\n")
    in.write("_manifest", "a.txt\na.txt\n./a.txt\ndeep/b.txt\ndeep//b.txt\ndeep/../a.txt\n")
    val source = text(in).withFileEnumerator(new ManifestFinder)
    assert(source.build().read(spark).load().collect().map(_.getString(0)).toSeq.sorted === Seq("ant", "bat"))
    val place = new TestDirectory
    run(source, place)
    in.write("_manifest", "/a.txt\n./deep/b.txt\n")
    run(source, place)
    assert(place.lines === Seq("ant", "bat"))
  }

  test("a single task and a single micro-batch read each file with nonSplitting") {
    val in = new Input
    in.write("a.txt", large)
    def tasks(source: FileSourceBuilder) = source.build().read(spark).load().rdd.getNumPartitions
    assert(tasks(text(in)) > 1)
    assert(tasks(text(in).withFileEnumerator("nonSplitting")) === 1)
    in.write("b.txt", "last\n")
    val place = new TestDirectory
    val query = run(text(in).withFileEnumerator("nonSplitting").withMaxBytesPerTrigger(1000), place)
    assert(query.recentProgress.map(_.numInputRows).filter(_ > 0).toSeq === Seq(LargeLines, 1))
  }

  test("a custom class with a parameter splits files if there are fewer files than tasks") {
    val in = new Input
    in.write("a.txt", large)
    def tasks = text(in)
      .withFileEnumerator(classOf[EnoughFiles].getName)
      .withOption("fileEnumerator.suffix", ".txt")
      .build()
      .read(spark)
      .load()
      .rdd
      .getNumPartitions
    in.write("b.log", "not read")
    assert(spark.sparkContext.defaultParallelism > 1)
    assert(tasks > 1)
    assert(EnoughFiles.desired.get === spark.sparkContext.defaultParallelism)
  }

  test("rejects a missing class and a class of another type") {
    def said(name: String) =
      intercept[IllegalArgumentException](text(new Input).withFileEnumerator(name).build()).getMessage
    assert(said("com.example.None").contains("there is no class com.example.None"))
    assert(said("java.lang.Object").contains("is not a stoplog.source.file.FileFinder"))
    assert(said("nonSpliting").contains("perhaps nonSplitting"))
  }

  /** More than the 4 MiB of which a piece has at least. */
  private def large: String = (1 to LargeLines).map(n => f"$n%064d").mkString("\n")

  private final val LargeLines = 100000

  private def text(in: Input): FileSourceBuilder = FileSource.forRecordStreamFormat("text", in.root.toString)

  private def run(source: FileSourceBuilder, place: TestDirectory) = place.copy(source.build().stream(spark))
}

/** All files of a directory with a suffix; cut if that is what it takes for each task to have something to do. */
final class EnoughFiles(parameters: JMap[String, String]) extends FileFinder {
  @volatile private var isEnough = false

  override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = {
    val found = Vector.newBuilder[SourceFile]
    files.list("") { entry =>
      entry.kind match {
        case Found.File(bytes, modified) if entry.name.endsWith(parameters.get("suffix")) =>
          found += SourceFile(entry.name, bytes, modified)
        case _ => ()
      }
    }
    isEnough = found.result().size >= rules.minDesiredSplits
    EnoughFiles.desired.set(rules.minDesiredSplits)
    found.result().foreach(each)
  }

  override def isSplittable(file: SourceFile): Boolean = !isEnough
}

object EnoughFiles {

  /** What the last search was told. */
  val desired = new AtomicInteger
}

/** The files that a manifest lists, whether or not all are there yet. */
final class ManifestFinder extends FileFinder {
  override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = {
    val in    = files.open(SourceFile("_manifest", 0, 0), 0)
    val paths =
      try new String(in.readAllBytes(), UTF_8).linesIterator.toVector
      finally in.close()
    for {
      path  <- paths
      found <- files.find(path)
    } found.kind match {
      case Found.File(bytes, modified) => each(SourceFile(path, bytes, modified))
      case Found.Directory             => ()
    }
  }
}
