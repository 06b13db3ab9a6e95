// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.admin.SinkAdmin
import stoplog.announce._
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.storage.local.LocalUnderTest

/** The announcements of queries and batch jobs, on a local disk. */
class AnnouncedSinkSuite extends AnyFunSuite with SparkSessionForTests {

  private final class World(out: Path) {
    val root: String            = out.toString
    val target: RecordingTarget = RecordingTargets.at(root)

    def sink(more: (String, String)*): FileSink =
      more
        .foldLeft(
          FileSink
            .forRowFormat(out.toString, "json")
            .withOption("bucketBy", "concat('b', id % 2)")
            .withAnnouncement("out", "recording", Map("to" -> out.toString))
            .withOption("announceAtEnd", "1s")
        ) { case (builder, (key, value)) => builder.withOption(key, value) }
        .build()

    def rows(count: Long): DataFrame = spark.range(0, count, 1, 1).select(col("id"))

    def words: Vector[String] =
      target.received.map(one => s"${one.change.word} ${one.change.bucket.getOrElse("")}")

    def batchLogs: Vector[String] = names("_stoplog").filter(_.startsWith("batch-"))

    def names(under: String): Vector[String] =
      Option(out.resolve(under).toFile.list()).fold(Vector.empty[String])(_.toVector.sorted)

    def announcedFiles: Vector[String] = target.received.flatMap(_.change match {
      case Change.Added(_, files)       => files.map(_.path)
      case Change.Replaced(_, files, _) => files.map(_.path)
      case _                            => Vector.empty
    })
  }

  /** Without targets. */
  private def overwrite(path: String): Unit = spark
    .range(0, 1, 1, 1)
    .write
    .format("stoplog")
    .options(Map("path" -> path, "format" -> "json", "bucketBy" -> "concat('b', id % 2)").asJava)
    .option("partitionOverwriteMode", "static")
    .mode("overwrite")
    .save()

  /** Without targets. */
  private def append(path: String): Unit = spark
    .range(0, 1, 1, 1)
    .write
    .format("stoplog")
    .options(Map("path" -> path, "format" -> "json", "bucketBy" -> "concat('b', id % 2)").asJava)
    .mode("append")
    .save()

  /** Without targets. */
  private def compact(path: String): Unit =
    FileSink.compactDirectory(spark, path, Map("compactTo" -> "1m")).run(): Unit

  private def inWorld(body: World => Unit): Unit = {
    val directory = Files.createTempDirectory("stoplog-announced")
    try body(new World(directory))
    finally LocalUnderTest.remove(directory)
  }

  test("a query announces its files and complete buckets, and the next start continues at the cursor") {
    inWorld { world =>
      val in          = Files.createTempDirectory("stoplog-announced-in")
      val checkpoint  = Files.createTempDirectory("stoplog-announced-checkpoint")
      def run(): Unit = {
        val query = world
          .sink("onRestart" -> "finish", "finalizeOnTermination" -> "always")
          .writeStream(spark.readStream.schema("id LONG").json(in.toString))
          .option("checkpointLocation", checkpoint.toString)
          .trigger(Trigger.AvailableNow())
          .start()
        query.awaitTermination()
        assert(FileSink.awaitEnd(query.runId.toString, 120000))
      }
      Files.writeString(in.resolve("1.json"), "{\"id\":1}\n{\"id\":2}\n")
      run()
      assert(world.words === Vector("added b0", "added b1"))
      Files.writeString(in.resolve("2.json"), "{\"id\":4}\n")
      run()
      assert(world.words === Vector("added b0", "added b1", "added b0"))
      assert(world.target.accepted.size === 3)
      assert(
        world.announcedFiles.forall(file => Files.exists(Path.of(world.target.received.head.path, file)))
      )
      assert(world.target.received.map(_.id.log).distinct.size === 1)
      val views = spark.read.format("stoplog").option("path", world.target.received.head.path)
      val state = views.option("view", "announcements").load().collect()
      assert(
        state.map(row => (row.getString(0), row.getString(1), row.getLong(4))) === Array(("main", "out", 0L))
      )
      Seq(in, checkpoint).foreach(LocalUnderTest.remove)
    }
  }

  test("a batch append announces its files before its log is deleted") {
    inWorld { world =>
      world.sink().write(world.rows(2)).mode("append").save()
      assert(world.words === Vector("added b0", "added b1"))
      assert(world.target.received.forall(one => one.epoch.isEmpty && one.sinkId == "main"))
      assert(world.batchLogs.isEmpty)
    }
  }

  test("the log of a job stays if the target is down, and the next job announces both jobs") {
    inWorld { world =>
      world.target.answers = Vector.fill(1000)(Delivery.Retry("down"))
      world.sink().write(world.rows(1)).mode("append").save()
      assert(world.target.received.isEmpty)
      assert(world.batchLogs.size === 1)
      world.target.answers = Vector.empty
      world.sink().write(world.rows(2)).mode("append").save()
      assert(world.words.sorted === Vector("added b0", "added b0", "added b1"))
      assert(world.batchLogs.isEmpty)
    }
  }

  test("any number of waiting logs delays the next job once") {
    inWorld { world =>
      world.target.answers = Vector.fill(100000)(Delivery.Retry("down", Some(10)))
      for (_ <- 1 to 3) world.sink("announceAtEnd" -> "200ms").write(world.rows(1)).mode("append").save()
      assert(world.batchLogs.size === 3)
      val before = world.target.calls.size
      world.sink("announceAtEnd" -> "200ms").write(world.rows(1)).mode("append").save()
      val logs = world.target.calls.drop(before).map(_.head.id.log.name).distinct
      assert(logs.size === 2, "the log of one earlier job, and of this job")
      world.target.answers = Vector.empty
      world.sink().write(world.rows(1)).mode("append").save()
      assert(world.batchLogs.isEmpty && world.target.received.size === 5)
    }
  }

  test("a job without targets keeps the log that a target needs") {
    inWorld { world =>
      world.target.answers = Vector.fill(1000)(Delivery.Retry("down"))
      world.sink().write(world.rows(1)).mode("append").save()
      world
        .rows(1)
        .write
        .format("stoplog")
        .options(
          Map("path" -> world.target.calls.head.head.path, "format" -> "json").asJava
        )
        .mode("append")
        .save()
      assert(world.batchLogs.size === 1)
    }
  }

  for ((name, replace) <- Seq[(String, String => Unit)]("an overwrite" -> overwrite, "compact" -> compact))
    test(s"$name without targets keeps its records for the targets of other writers") {
      inWorld { world =>
        world.target.answers = Vector.fill(1000)(Delivery.Retry("down"))
        (1 to 2).foreach(_ => world.sink().write(world.rows(1)).mode("append").save())
        val path = world.target.calls.head.head.path
        replace(path)
        world.target.answers = Vector.empty
        val targets = Map("announce.out" -> "recording", "announce.out.to" -> path, "announceAtEnd" -> "10s")
        SinkAdmin.at(path).announce(targets).carryOut()
        assert(world.words === Vector("added b0", "added b0", "replaced b0"))
      }
    }

  test("the next job delivers the rest of a job only to the targets of that job") {
    inWorld { world =>
      world.target.answers = Vector.fill(1000)(Delivery.Retry("down"))
      world.sink("announceAtEnd" -> "100ms").write(world.rows(1)).mode("append").save()
      OtherTarget.received = Vector.empty
      world
        .sink("announceAtEnd" -> "100ms", "announce.other" -> classOf[OtherTarget].getName)
        .write(world.rows(2))
        .mode("append")
        .save()
      assert(OtherTarget.received.map(_.id.log).distinct.size === 1)
    }
  }

  test("a compaction with a target keeps its records for the targets of other writers") {
    inWorld { world =>
      world.target.answers = Vector.fill(1000)(Delivery.Retry("down"))
      (1 to 2).foreach { _ =>
        world.sink("announceAtEnd" -> "100ms").write(world.rows(1)).mode("append").save()
      }
      val path    = world.target.calls.head.head.path
      val records = 17 // more than the log of replacements keeps without targets
      for (n <- 1 to records) {
        if (n > 1) append(path)
        FileSink
          .compactDirectory(
            spark,
            path,
            Map("compactTo" -> "1m", "announce.other" -> classOf[OtherTarget].getName)
          )
          .run()
      }
      world.target.answers = Vector.empty
      val targets = Map("announce.out" -> "recording", "announce.out.to" -> path, "announceAtEnd" -> "10s")
      SinkAdmin.at(path).announce(targets).carryOut()
      assert(world.words.filter(_.startsWith("gap")) === Vector.empty)
      assert(world.words.count(_.startsWith("replaced")) === records)
    }
  }

  test("a job that is rejected before its tasks leaves no thread of a target behind") {
    inWorld { world =>
      val in         = Files.createTempDirectory("stoplog-announced-in")
      val checkpoint = Files.createTempDirectory("stoplog-announced-checkpoint")
      val path       = world.root
      val options    = Map("path" -> path, "format" -> "json", "partitionBy" -> "day")
      Files.writeString(in.resolve("1.json"), "{\"id\":1,\"day\":\"a\"}\n")
      spark.readStream
        .schema("id LONG, day STRING")
        .json(in.toString)
        .writeStream
        .format("stoplog")
        .options(options + ("finalizeOnTermination" -> "never"))
        .option("checkpointLocation", checkpoint.toString)
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination()
      val rejected = intercept[Exception](
        spark
          .sql("SELECT 1L AS id, 'a' AS day")
          .write
          .format("stoplog")
          .options(options ++ Map("replaceWhere" -> "day = 'a'", "announce.rejected" -> "recording"))
          .mode("overwrite")
          .save()
      )
      assert(Thrown.conditions(rejected).contains("STOPLOG_PATH_NOT_WRITABLE"))
      val threads = Thread.getAllStackTraces.keySet.asScala.map(_.getName)
      assert(!threads.contains("stoplog-announcer-rejected"))
      Seq(in, checkpoint).foreach(LocalUnderTest.remove)
    }
  }

  test("overwrites announce replaced and removed files") {
    inWorld { world =>
      world.sink().write(world.rows(2)).mode("append").save()
      world.sink("partitionOverwriteMode" -> "static").write(world.rows(1)).mode("overwrite").save()
      assert(world.words === Vector("added b0", "added b1", "replaced b0", "removed b1"))
      val gone = world.target.received.flatMap(_.change match {
        case Change.Replaced(_, _, paths) => paths
        case Change.Removed(_, paths)     => paths
        case _                            => Vector.empty
      })
      assert(gone.sorted === world.announcedFiles.take(2).sorted)
      assert(world.target.received.map(_.id.log.name).last === "replace")
    }
  }

  for (
    (mode, later) <- Seq("append" -> Vector("added b0"), "overwrite" -> Vector("replaced b0", "removed b1"))
  )
    test(s"a new target of a job of mode $mode starts with one snapshot of all visible files") {
      inWorld { world =>
        append(world.root)
        def write(mode: String, rows: Long) = world
          .sink("announce.out.start" -> "snapshot", "partitionOverwriteMode" -> "static")
          .write(world.rows(rows))
          .mode(mode)
          .save()
        write(mode, 2)
        assert(world.words === Vector("snapshot b0", "snapshot b1"))
        assert(world.batchLogs.isEmpty)
        write(mode, 1)
        assert(world.words.drop(2) === later)
        write("overwrite", 1)
        assert(world.words(2 + later.size) === "replaced b0")
      }
    }

  test("the command announce delivers the snapshot that a job has left, and no job repeats it") {
    inWorld { world =>
      world.target.answers = Vector.fill(100000)(Delivery.Retry("down", Some(10)))
      val sink = world.sink("announce.out.start" -> "snapshot")
      sink.write(world.rows(2)).mode("append").save()
      world.target.answers = Vector.empty
      SinkAdmin
        .at(world.root)
        .announce(Map("announce.out" -> "recording", "announce.out.to" -> world.root))
        .carryOut()
      assert(world.words === Vector("snapshot b0", "snapshot b1"))
      (1 to 2).foreach(_ => sink.write(world.rows(1)).mode("append").save())
      assert(world.words.drop(2) === Vector("added b0", "added b0"))
      assert(world.batchLogs.isEmpty)
    }
  }

  test("the command announce delivers what a job has left, or fails by name") {
    inWorld { world =>
      world.target.answers = Vector.fill(100000)(Delivery.Retry("down", Some(10)))
      world.sink().write(world.rows(2)).mode("append").save()
      val path    = world.target.calls.head.head.path
      val options = Map("announce.out" -> "recording", "announce.out.to" -> path, "announceAtEnd" -> "1s")
      val plan    = SinkAdmin.at(path).announce(options)
      assert(plan.actions.map(_.reason) === Vector("1 records wait"))
      assert(
        Thrown.conditions(intercept[Exception](plan.carryOut())) === Seq("STOPLOG_ANNOUNCEMENT_UNDELIVERED")
      )
      world.target.answers = Vector.empty
      plan.carryOut()
      assert(world.words === Vector("added b0", "added b1"))
      assert(SinkAdmin.at(path).announce(options).actions.isEmpty)
      world.sink().write(world.rows(1)).mode("append").save()
      assert(world.batchLogs.isEmpty && world.words.size === 3)
      SinkAdmin.at(path).tryAnnouncement(options).carryOut()
      assert(world.target.accepted.last.change === Change.Snapshot("", Vector.empty))
    }
  }

  test("the compaction of a directory announces replaced files") {
    inWorld { world =>
      for (_ <- 1 to 3) world.sink().write(world.rows(1)).mode("append").save()
      val path = world.target.received.head.path
      FileSink
        .compactDirectory(
          spark,
          path,
          Map("format" -> "json", "announce.out" -> "recording", "announce.out.to" -> path)
        )
        .run()
      val replaced = world.target.received.map(_.change).collect { case change: Change.Replaced => change }
      assert(
        replaced.map(change => (change.in, change.files.size, change.replaced.size)) === Vector(("b0", 1, 3))
      )
      assert(replaced.flatMap(_.files).map(_.rows) === Vector(None), "the rows are unknown")
    }
  }

  test("preflight checks each target") {
    inWorld { world =>
      assert(world.sink().check(world.rows(1)).findings.exists(found => found.name == "announce.out"))
      val problems = world.sink("announce.out.token" -> "x").check(world.rows(1)).problems
      assert(problems.map(_.name) === Vector("announce.out"))
      assert(problems.head.what.contains("no entry"))
    }
  }

  test("a target of a class is called with the session of the query") {
    inWorld { world =>
      SessionTarget.sessions = Set.empty
      world.sink("announce.session" -> classOf[SessionTarget].getName).write(world.rows(1)).save()
      assert(SessionTarget.sessions === Set(spark))
      assert(world.rows(1).select(lit(1)).count() === 1)
    }
  }
}

final class SessionTarget extends AnnouncementTarget {
  override def deliver(announcements: Vector[Announcement]): Delivery = {
    SessionTarget.sessions += SparkSession.active
    Delivery.Delivered
  }
}

object SessionTarget {
  @volatile var sessions: Set[SparkSession] = Set.empty
}

/** A target of another name than the target of the world. */
final class OtherTarget extends AnnouncementTarget {
  override def deliver(announcements: Vector[Announcement]): Delivery = {
    OtherTarget.received ++= announcements
    Delivery.Delivered
  }
}

object OtherTarget {
  @volatile var received: Vector[Announcement] = Vector.empty
}
