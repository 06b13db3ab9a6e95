// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{StoplogArgumentException, Thrown}
import stoplog.format.SparkSessionForTests
import stoplog.jdbc.TestDatabase
import stoplog.jdbc.options.JdbcOptions
import stoplog.spark.RunEnds
import stoplog.wal.{WriteAheadSink, WriteAheadSinkBuilder}

/** What a user does, through Spark. */
class JdbcWriteAheadSuite extends AnyFunSuite with SparkSessionForTests {
  private lazy val derby = TestDatabase.derby()

  private def sink(table: String): WriteAheadSinkBuilder = WriteAheadSink.toJdbc(derby.url, table)

  /** The sink of a query ends on another thread, and writes to the log in the checkpoint until then. */
  private def run(sink: WriteAheadSink, rows: DataFrame, checkpoint: String): Unit = {
    val query = sink
      .writeStream(rows)
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(RunEnds.await(query.runId.toString, timeoutMillis = 120000))
  }

  /** A stream of numbers and words, and the checkpoint of the query that writes it. */
  private final class Words {
    val source: MemoryStream[Long] = MemoryStream[Long](spark)(spark.implicits.newLongEncoder)
    val rows: DataFrame            = source.toDF().selectExpr("value AS id", "concat('w', value) AS word")
    val at: String                 = Files.createTempDirectory("checkpoint").toString
  }

  private def ids(table: String): Seq[Int] =
    derby.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt)

  test("a stream over two starts writes each row once and keeps a single epoch's notes") {
    val table = derby.newHeap()
    val words = new Words
    import words.{at, rows, source}
    for (epoch <- 0 until 3) {
      source.addData(epoch * 20L until (epoch + 1) * 20L: _*)
      run(sink(table).build(), rows, at)
    }
    assert(ids(table) === (0 until 60))
    assert(derby.rows("SELECT DISTINCT epoch FROM stoplog_chunks WHERE epoch >= 0") === Seq(Seq("2")))
  }

  test("a row that the table rejects stays in the log until onBadRow=reject") {
    val table = derby.newTable(" CHECK (word <> 'w3')")
    val words = new Words
    import words.{at, rows, source}
    source.addData(0L until 6L: _*)
    val failed = intercept[Exception](run(sink(table).build(), rows, at))
    assert(
      Thrown.conditions(failed).contains("STOPLOG_BAD_ROW") || failed.getMessage.contains(
        "STOPLOG_BAD_ROW"
      )
    )
    run(sink(table).withJdbcOption("onBadRow", "reject").build(), rows, at)
    assert(ids(table) === Seq(0, 1, 2, 4, 5))
    assert(derby.count(s"${table}_rejected") === 1)
  }

  test("a row that its columns cannot store is rejected before the log contains the row") {
    val table = derby.newTable()
    val words = new Words
    import words.{at, rows, source}
    source.addData(0L until 3L: _*)
    val bad = Seq(
      rows.selectExpr("id", "repeat(word, 100) AS word"),
      rows.selectExpr("nullif(id, 1) AS id", "word")
    )
    val conditions = bad.map { rows =>
      val upserts = sink(table).withJdbcOption("keyColumns", "id").build()
      Thrown.conditions(intercept[Exception](run(upserts, rows, at))).last
    }
    assert(conditions === Seq("STOPLOG_BAD_ROW", "STOPLOG_NULL_VALUE"))
    run(sink(table).withJdbcOption("keyColumns", "id").build(), rows, at)
    assert(ids(table) === Seq(0, 1, 2))
  }

  test("pending chunks are sent only if the notes stay in their place") {
    val table = derby.newTable(" CHECK (word <> 'w3')")
    val words = new Words
    import words.{at, rows, source}
    source.addData(0L until 6L: _*)
    intercept[Exception](run(sink(table).build(), rows, at))
    val rejecting = sink(table).withJdbcOption("onBadRow", "reject")
    for (
      (other, told) <- Seq(
        rejecting.withCommitter("files")                          -> "in files of the sink's log",
        rejecting.withJdbcOption("progressTable", "other_chunks") -> "in the table other_chunks",
        sink(s"app.$table").withJdbcOption("onBadRow", "reject")  -> "in the table app.stoplog_chunks"
      )
    ) {
      val refused = intercept[Exception](run(other.build(), rows, at)).getMessage
      for (said <- Seq("STOPLOG_WAL_TARGET_CHANGED", "in the table stoplog_chunks of", told))
        assert(refused.contains(said))
    }
    assert(ids(table) === Nil)
    run(rejecting.build(), rows, at)
    // All is sent: now they may go elsewhere.
    source.addData(6L until 8L: _*)
    run(rejecting.withCommitter("files").build(), rows, at)
    assert(ids(table) === Seq(0, 1, 2, 4, 5, 6, 7))
  }

  test("pending chunks are sent to their decided target unless targetMovedFrom permits a move") {
    val (former, other) = (derby.newTable(" CHECK (word <> 'w3')"), derby.newTable())
    val words           = new Words
    import words.{at, rows, source}
    source.addData(0L until 6L: _*)
    intercept[Exception](run(sink(former).build(), rows, at))
    for (committer <- Seq("jdbc", "files")) {
      val refused =
        intercept[Exception](run(sink(other).withCommitter(committer).build(), rows, at)).getMessage
      // The change of the place of the notes is reported first.
      assert(
        refused.contains("STOPLOG_WAL_TARGET_CHANGED") &&
          refused.contains(if (committer == "jdbc") "decided to send the rows" else "keeps its notes")
      )
      if (committer == "jdbc")
        for (said <- Seq(s"the table $former of", s"the table $other of", "targetMovedFrom"))
          assert(refused.contains(said))
    }
    assert(ids(other) === Nil)
    val name = JdbcOptions.parse(Map("url" -> derby.url, "dbtable" -> other).asJava).databaseName
    run(sink(other).withOption("targetMovedFrom", s"the table $former of $name").build(), rows, at)
    assert(ids(other) === (0 until 6))
    // All is sent: the target may be another one.
    val third = derby.newTable()
    source.addData(6L until 8L: _*)
    run(sink(third).build(), rows, at)
    assert(ids(third) === Seq(6, 7))
  }

  test("a checkpoint restored from a copy of the previous batch sends no row twice") {
    val table = derby.newHeap()
    val words = new Words
    import words.{at, rows, source}
    source.addData(0L until 3L: _*)
    run(sink(table).build(), rows, at)
    val copy = Files.createTempDirectory("copy")
    FileUtils.copyDirectory(new File(at), copy.toFile)
    source.addData(3L until 6L: _*)
    run(sink(table).build(), rows, at)
    source.addData(6L until 8L: _*)
    for (_ <- 1 to 2) {
      val refused = intercept[Exception](run(sink(table).build(), rows, copy.toString)).getMessage
      for (said <- Seq("STOPLOG_EPOCH_AHEAD", "another micro-batch 1", "the table stoplog_chunks of"))
        assert(refused.contains(said))
    }
    assert(ids(table) === (0 until 6))
    run(sink(table).build(), rows, at)
    assert(ids(table) === (0 until 8))
  }

  test("batch queries write inserts, and upserts with notes in files") {
    val table = derby.newTable()
    val log   = Files.createTempDirectory("wal").toString
    val rows  = spark.range(0, 40, 1, 4).selectExpr("id", "concat('w', id) AS word")
    sink(table).withLogLocation(log).build().write(rows).save()
    val upserts = sink(table).withCommitter("files").withJdbcOption("keyColumns", "id").withLogLocation(log)
    upserts.build().write(rows.limit(30)).save()
    assert(ids(table) === (0 until 40))
  }

  test("notes in a database work for rows with another target") {
    val log  = Files.createTempDirectory("wal").toString
    val sink = WriteAheadSink
      .to(classOf[stoplog.wal.InboxSender].getName)
      .withOption("inbox", log)
      .withCommitter("jdbc")
      .withJdbcOption("url", derby.url)
      .withJdbcOption("progressTable", "elsewhere_chunks")
      .withLogLocation(log)
      .build()
    sink.write(spark.range(0, 9, 1, 3).selectExpr("string(id) AS id")).save()
    assert(stoplog.wal.InMemoryTarget.named(log).rows.map(_.toInt).sorted === (0 until 9))
    assert(derby.rows("SELECT epoch FROM elsewhere_chunks") === Seq(Seq("-1")))
  }

  test("rejects invalid columns and options before any write") {
    val log     = Files.createTempDirectory("wal")
    val unknown = intercept[Exception](
      sink(derby.newHeap())
        .withLogLocation(log.toString)
        .build()
        .write(spark.range(1).selectExpr("id AS other"))
        .save()
    )
    assert(Thrown.conditions(unknown).contains("STOPLOG_ROW_COLUMNS"))
    assert(!Files.exists(log.resolve("_stoplog")))
    val options = intercept[StoplogArgumentException](
      sink("t").withJdbcOption("onForeignQuery", "adopt").withJdbcOption("retryTimeout", "many").build()
    )
    assert(options.getMessage.contains("jdbc.onForeignQuery has no effect in a write-ahead sink"))
    val tries = intercept[StoplogArgumentException](sink("t").withJdbcOption("retryTimeout", "many").build())
    assert(tries.getMessage.contains("retryTimeout = 'many'"))
    val url = intercept[StoplogArgumentException](
      WriteAheadSink.toHttp("https://example.com").withCommitter("jdbc").build()
    )
    assert(
      url.getMessage.contains(
        "the committer rejects its options, which begin with jdbc.: url is not set"
      )
    )
  }
}
