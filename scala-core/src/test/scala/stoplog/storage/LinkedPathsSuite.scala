// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.bucket.Bucketing
import stoplog.engine.Condition
import stoplog.engine.Condition.{And, Compared, Comparison, IsNull, Not}
import stoplog.error.StoplogArgumentException
import stoplog.filesink.PartitionFilter
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalUnderTest}

/** Symbolic links on local disks: the path of a sink may be a link, and a job touches nothing behind others. */
class LinkedPathsSuite extends AnyFunSuite {

  /** @param table the directory in which tests put files; `other` is next to the directory */
  private final class Place(top: Path) {
    val table: Path                        = Files.createDirectory(top.resolve("table"))
    val other: Path                        = Files.createDirectory(top.resolve("other"))
    def link(name: String, to: Path): Path = Files.createSymbolicLink(top.resolve(name), to)
    def at(root: Path): FileStore = LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process)
    def files: FileStore          = at(table)
    def list(scope: Scope): VisibleListing = new VisibleFiles(files).list(scope)
    def refuse(scope: Scope): Unit         =
      new ForeignOwners().refuseIn(table.toString, files, scope, list(scope))
  }

  private def within(body: Place => Unit): Unit = {
    val top = Files.createTempDirectory("stoplog-links").toRealPath()
    try body(new Place(top))
    finally LocalUnderTest.remove(top)
  }

  private def put(root: Path, names: String*): Unit = names.foreach { name =>
    Files.createDirectories(root.resolve(name).getParent)
    Files.write(root.resolve(name), name.getBytes(UTF_8)): Unit
  }

  private def paths(listing: VisibleListing): Vector[String] = listing.replaceable.map(_.path)

  private def where(condition: Condition): Scope = {
    val columns = new StructType().add("day", StringType).add("hour", IntegerType).add("id", IntegerType)
    Scope.Selected(
      PartitionFilter.of(condition, Bucketing.PartitionColumns(Seq("day", "hour")), columns, "a table")
    )
  }

  private def day(value: String): Condition =
    Compared("day", Comparison.Equal, org.apache.spark.unsafe.types.UTF8String.fromString(value))

  private val second = Compared("hour", Comparison.Equal, 2)

  private def refused(action: => Unit): String = {
    val e = intercept[StoplogArgumentException](action)
    assert(e.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
    e.getMessage
  }

  test("a path that is a link has the files of its target") {
    within { place =>
      put(place.table, "a.txt", "b/c.txt", "_stoplog/main/log/0")
      val files = place.at(place.link("current", place.table))
      assert(files.walk("")(_ != "b").map(_.path).toSet === Set("a.txt", "_stoplog/main/log/0"))
      val listing = new VisibleFiles(files).list(Scope.Whole)
      assert(paths(listing) === Vector("a.txt", "b/c.txt") && listing.directories === Vector("_stoplog", "b"))
      assert(place.at(place.link("nowhere", place.other.resolve("x"))).walk("")(_ => true) === Vector.empty)
    }
  }

  test("a link to a directory is replaced as a whole, and its target stays") {
    within { place =>
      put(place.other, "part.txt", "hour=1/part.txt")
      put(place.table, "day=2/part.txt")
      Files.createSymbolicLink(place.table.resolve("day=1"), place.other)
      for (
        scope <- Seq(Scope.Whole, Scope.Directories(Vector("day=1", "day=2")), where(Not(IsNull("day"))))
      ) {
        place.refuse(scope)
        assert(paths(place.list(scope)) === Vector("day=1", "day=2/part.txt"))
      }
      for (scope <- Seq(Scope.Directories(Vector("day=1")), where(day("1")))) {
        place.refuse(scope)
        assert(paths(place.list(scope)) === Vector("day=1"))
      }
      assert(paths(place.list(where(day("2")))) === Vector("day=2/part.txt"))
    }
  }

  test("a link whose target is covered in part is refused, and nothing behind the link is listed") {
    within { place =>
      put(place.other, "hour=1/part.txt", "hour=2/part.txt")
      Files.createSymbolicLink(place.table.resolve("day=1"), place.other)
      val link = place.table.resolve("day=1").toString
      for (
        scope <- Seq(
          Scope.Directories(Vector("day=1/hour=2")),
          Scope.Exactly(Vector("day=1")),
          Scope.Exactly(Vector("day=1/hour=2")),
          where(second),
          where(And(day("1"), second)),
          where(And(day("1"), IsNull("hour")))
        )
      ) assert(refused(place.refuse(scope)).contains(link), scope)
      place.refuse(where(And(day("2"), second)))
    }
  }

  test("a link in a directory does not belong to the files of this directory") {
    within { place =>
      put(place.other, "part.txt")
      put(place.table, "part.txt", "day=2/part.txt")
      Files.createSymbolicLink(place.table.resolve("day=1"), place.other)
      Files.createSymbolicLink(place.table.resolve("file.txt"), place.other.resolve("part.txt"))
      for (scope <- Seq(Scope.Exactly(Vector("")), where(IsNull("day")))) {
        place.refuse(scope)
        assert(paths(place.list(scope)) === Vector("file.txt", "part.txt"))
      }
      assert(paths(place.list(Scope.Exactly(Vector("day=1")))) === Vector("day=1"))
    }
  }

  test("a relative link is hidden and restored") {
    within { place =>
      put(place.other, "part.txt")
      Files.createSymbolicLink(place.table.resolve("day=1"), Path.of("../other"))
      val replaced = new ReplacedFiles(place.files, "replace")
      replaced.hide(0, "day=1")
      assert(place.files.names("") === Vector("_stoplog"))
      replaced.restore(0, "day=1")
      assert(Files.readString(place.table.resolve("day=1/part.txt")) === "part.txt")
      replaced.hide(1, "day=1")
      replaced.purge(1)
      assert(Files.exists(place.other.resolve("part.txt")))
    }
  }

  test("a link to a directory with files is not deleted as an empty directory") {
    within { place =>
      put(place.other, "hour=1/part.txt")
      Files.createDirectory(place.other.resolve("hour=2"))
      Files.createSymbolicLink(place.table.resolve("day=1"), place.other)
      place.files.deleteEmpty("day=1/hour=2")
      assert(!Files.exists(place.other.resolve("hour=2")))
      assert(Files.exists(place.table.resolve("day=1/hour=1/part.txt")))
    }
  }

  test("a link into another table is rejected like the directory in the table") {
    within { place =>
      put(place.other, "_delta_log/0.json", "day=1/part.txt")
      val link  = place.link("day", place.other.resolve("day=1"))
      val above = Storage.above(new HadoopPath(s"file://$link"), new Configuration())
      val e     = intercept[StoplogArgumentException](
        new ForeignOwners().refuseAbove(link.toString, link.toString, above)
      )
      assert(e.getCondition === "STOPLOG_FOREIGN_TABLE" && e.getMessage.contains("Delta Lake"))
    }
  }
}
