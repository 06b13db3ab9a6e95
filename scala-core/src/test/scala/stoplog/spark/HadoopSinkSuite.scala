// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQuery
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.laws.HadoopUnderTest
import stoplog.options.SparkHadoop
import stoplog.part.Resume
import stoplog.storage.hadoop.TestFileSystems

/** The sink on Hadoop file systems that can do less than HDFS, as a user of Spark sees it. */
class HadoopSinkSuite extends AnyFunSuite with SparkSessionForTests with BatchJobs {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    TestFileSystems.register(spark.sparkContext.hadoopConfiguration)
    ()
  }

  for (scheme <- Seq("cutting", "appendonly"))
    test(s"$scheme: a run appends to the same file, and the next run resumes a copy") {
      withStorage(scheme) { storage =>
        val rows       = memory
        val checkpoint = newCheckpoint()
        val first      = start(rows, storage, checkpoint, "never")
        for (epoch <- 1 to 3) {
          feed(first, rows, s"1 $epoch")
          assert(storage.partStore().staged().size === 1, "it is appended to where it is")
        }
        end(first)
        assert(storage.visible().isEmpty)

        val second = start(rows, storage, checkpoint, "always")
        feed(second, rows, "2 1")
        end(second)
        assert(storage.visible().size === 1)
        assert(lines(storage) === Seq("1 1", "1 2", "1 3", "2 1"))
      }
    }

  test("settings of Hadoop in the session apply to storage") {
    spark.conf.set("fs.stoplog.of.session", "here")
    try assert(SparkHadoop.configuration.get("fs.stoplog.of.session") === "here")
    finally spark.conf.unset("fs.stoplog.of.session")
    assert(SparkHadoop.configuration.get("fs.stoplog.of.session") === null)
  }

  test("createonly: each epoch closes its parts with a recorded reason and a single warning") {
    withStorage("createonly") { storage =>
      val rows    = memory
      val warning = LogCapture.of {
        val query = start(rows, storage, newCheckpoint(), "never")
        for (epoch <- 1 to 3) {
          feed(query, rows, s"$epoch")
          assert(storage.visible().size === epoch)
        }
        assert(query.lastProgress.sink.metrics.get("rolledByCheckpoint") === "3")
        end(query)
      }
      assert(lines(storage) === Seq("1", "2", "3"))
      assert(storage.partStore().staged().isEmpty)
      assert(warning.count(_.contains("cannot append to a file")) === 1)
      assert(warning.exists(_.contains(storage.root)))
      assert(reasons(storage) === Seq("checkpoint", "checkpoint", "checkpoint"))
    }
  }

  test(
    "useTruncate=false: a part resumes without bytes of a failed attempt and without a valid-length file"
  ) {
    withStorage("appendonly") { storage =>
      val rows       = memory
      val checkpoint = newCheckpoint()
      val uncut      = Map("bucketingSink.useTruncate" -> "false")
      val first      = start(rows, storage, checkpoint, "never", uncut)
      feed(first, rows, "1")
      end(first)
      val open = storage.partStore().staged().map(_.token)
      storage.appendJunk(Resume(open.head), "torn".getBytes(UTF_8))

      val second = start(rows, storage, checkpoint, "always", uncut)
      feed(second, rows, "2")
      end(second)
      assert(lines(storage) === Seq("1", "2"))
      assert(storage.visible().map(storage.validLength) === Set(None))
      assert(storage.visible().map(file => new String(storage.stored(file), UTF_8)) === Set("1\n2\n"))
      assert(reasons(storage) === Seq("end"))
    }
  }

  for (scheme <- Seq("cutting", "appendonly", "createonly"))
    test(s"$scheme: a batch job appends to existing files or replaces them") {
      withStorage(scheme) { storage =>
        job("one", storage.root, SaveMode.Append)
        job("two", storage.root, SaveMode.Append)
        assert(lines(storage) === Seq("one", "two"))
        job("three", storage.root, SaveMode.Overwrite)
        assert(lines(storage) === Seq("three"))
        overwriteDays(storage.root, storage)
      }
    }

  test("last-writer-wins: a write fails by name and leaves no files") {
    val directory = TestFileSystems.directory("lastwins")
    val refused   = intercept[Exception](job("one", directory, SaveMode.Append))
    assert(Thrown.conditions(refused).contains("STOPLOG_STORE_NOT_EXCLUSIVE"))
    val files = Files.walk(Path.of(directory.stripPrefix("lastwins:")))
    try assert(files.noneMatch(Files.isRegularFile(_)))
    finally files.close()
  }

  private def withStorage(scheme: String)(body: HadoopUnderTest => Unit): Unit = {
    val storage = TestFileSystems.storage(scheme)
    try body(storage)
    finally storage.close()
  }

  private def memory: MemoryStream[String] = MemoryStream[String](spark.implicits.newStringEncoder, spark)

  private def newCheckpoint(): String = Files.createTempDirectory("stoplog-checkpoint").toString

  private def start(
      rows: MemoryStream[String],
      storage: HadoopUnderTest,
      checkpoint: String,
      finalizing: String,
      more: Map[String, String] = Map.empty
  ): StreamingQuery =
    SinkRuns.writer(rows.toDF(), storage.root, checkpoint, finalizing, SinkRuns.Text ++ more).start()

  private def feed(query: StreamingQuery, rows: MemoryStream[String], row: String): Unit = {
    rows.addData(row)
    query.processAllAvailable()
  }

  private def end(query: StreamingQuery): Unit = {
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, 60000))
  }

  private def reasons(storage: HadoopUnderTest): Seq[String] =
    spark.read.format("stoplog").option("view", "parts").load(storage.root).collect().toSeq.map { row =>
      row.getAs[String]("roll_reason")
    }
}
