// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SaveMode
import org.scalatest.Tag
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.servers.S3Server
import stoplog.format.SparkSessionForTests
import stoplog.log.CommitLog
import stoplog.rolling.RollReason
import stoplog.storage.s3._

/** The sink on S3, as a user of Spark sees it, and the server by another client than the sink's. */
class S3SinkSuite extends AnyFunSuite with SparkSessionForTests with BatchJobs {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    S3Victim.configure(spark, S3Server.sharedS3Mock.endpoint)
  }

  private def on(name: String, tags: Tag*)(body: (S3UnderTest, RawS3) => Unit): Unit = test(name, tags: _*) {
    val storage = S3UnderTest.create(S3Settings())
    val server  = storage.raw()
    try body(storage, server)
    finally {
      server.close()
      storage.close()
    }
  }

  on("parts stay open across batches and runs, and each row is there once when they are finished") {
    (storage, server) =>
      val input      = Files.createTempDirectory("stoplog-s3-input")
      val checkpoint = Files.createTempDirectory("stoplog-s3-checkpoint").toString
      for (run <- 1 to 3) {
        write(input, run, rows = 100)
        S3Victim.run(
          spark,
          input.toString,
          storage.root,
          checkpoint,
          finalizing = if (run == 3) "always" else "never"
        )
        if (run < 3) assert(storage.visible().isEmpty)
      }
      assert(lines(storage) === rowsOf(1 to 3, 100))
      assert(storage.visible().size === 1)
      assert(nothingUnfinished(server))
  }

  on(
    "a process that is killed in the middle of an upload loses and repeats no row, and leaves no upload",
    LongRun.Only
  ) { (storage, server) =>
    val input      = Files.createTempDirectory("stoplog-s3-input")
    val checkpoint = Files.createTempDirectory("stoplog-s3-checkpoint").toString
    (1 to 2).foreach(write(input, _, S3SinkSuite.LargeRows))
    val victim = S3Victim.start(
      S3Server.sharedS3Mock.endpoint,
      input.toString,
      storage.root,
      checkpoint,
      "midWrite:250:halt"
    )
    assert(victim.waitFor() === 137)
    assert(server.openUploads().size === 1 && storage.visible().isEmpty)
    write(input, 3, S3SinkSuite.LargeRows)
    S3Victim.run(spark, input.toString, storage.root, checkpoint, finalizing = "always")
    assert(lines(storage) === rowsOf(1 to 3, S3SinkSuite.LargeRows))
    assert(nothingUnfinished(server))
    val reasons = new CommitLog(storage.logFiles()).all().flatMap(_.publish).map(_.reason)
    assert(reasons === Vector(RollReason.End), "the part and its upload went on")
  }

  on("a Parquet part whose upload is open across batches and a restart ends in one file with all its rows") {
    (storage, server) =>
      val input      = Files.createTempDirectory("stoplog-s3-input")
      val checkpoint = Files.createTempDirectory("stoplog-s3-checkpoint").toString
      val options    =
        Map("format" -> "parquet", "compression" -> "none", "parquet.block.size" -> (2 << 20).toString)
      for (run <- 1 to 2) {
        (1 to 3).foreach(file => write(input, run * 10 + file, rows = 4000))
        val finalizing = if (run == 2) "always" else "never"
        S3Victim.run(spark, input.toString, storage.root, checkpoint, finalizing, options)
        if (run == 1) assert(server.openUploads().size === 1 && storage.visible().isEmpty)
      }
      assert(storage.visible().size === 1)
      assert(nothingUnfinished(server))
      val found = spark.read.parquet(storage.root).collect().map(_.getString(0)).toSeq
      assert(found.sorted === rowsOf(Seq(11, 12, 13, 21, 22, 23), 4000).sorted)
      val records = new CommitLog(storage.logFiles()).all()
      assert(records.flatMap(_.publish).map(_.reason) === Vector(RollReason.End))
  }

  on("a batch job adds to what is there, or replaces it") { (storage, server) =>
    job("one", storage.root, SaveMode.Append)
    job("two", storage.root, SaveMode.Append)
    assert(lines(storage) === Seq("one", "two"))
    job("three", storage.root, SaveMode.Overwrite)
    assert(lines(storage) === Seq("three"))
    overwriteDays(storage.root, storage)
    assert(server.keys().filter(_.startsWith("_stoplog/")).forall(_.startsWith("_stoplog/replace/log/")))
    assert(server.openUploads().isEmpty)
  }

  test("rejects a missing S3 bucket by name before any write") {
    val error = intercept[stoplog.error.StoplogArgumentException] {
      job("one", "s3a://stoplog-no-such-bucket/out", SaveMode.Append)
    }
    assert(error.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
  }

  private def nothingUnfinished(server: RawS3): Boolean =
    server.openUploads().isEmpty && !server.keys().exists(_.contains("/open/"))

  private def write(input: Path, number: Int, rows: Int): Unit = {
    val written = Files.write(Files.createTempFile("stoplog-s3", ".txt"), rowsOf(Seq(number), rows).asJava)
    Files.move(written, input.resolve(s"$number.txt"))
    ()
  }

  private def rowsOf(files: Seq[Int], rows: Int): Seq[String] =
    files.flatMap(file => (1 to rows).map(S3SinkSuite.row(file, _)))
}

private object S3SinkSuite {

  /** Somewhat more than the part of an upload, and less than two. */
  val LargeRows = 12000

  def row(file: Int, number: Int): String = f"$file%d-$number%06d" + "x" * 1000
}
