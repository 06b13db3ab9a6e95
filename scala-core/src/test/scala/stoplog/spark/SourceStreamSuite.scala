// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files
import java.sql.Timestamp
import java.time.Instant
import java.util.concurrent.{CountDownLatch, FutureTask}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.read.streaming.{Offset, ReadLimit}
import org.apache.spark.sql.types.{IntegerType, StructType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.filesource.FileReads
import stoplog.format.SparkSessionForTests
import stoplog.format.read.SparkBlocks.Vectors
import stoplog.laws.MemoryState
import stoplog.options.SourceOptions
import stoplog.source._
import stoplog.source.file.FileSplit

/** The source's stream as Spark drives it. */
class SourceStreamSuite extends AnyFunSuite with SparkSessionForTests {

  test("a commit from another thread, like asynchronous progress tracking, waits for a plan") {
    spark // which the source asks for its settings
    val in = new Input
    in.write("a.txt", "ant\n")
    val asked   = new CountDownLatch(1)
    val go      = new CountDownLatch(1)
    val state   = new MemoryState
    val stream  = new SourceStream(source(in), state, ReadLimits.none, 1, Vectors.Rows)
    val plans   = new FutureTask(() => stream.latestOffset(stream.initialOffset(), ReadLimit.allAvailable()))
    val commits = new FutureTask(() => stream.commit(stream.initialOffset()), ())
    state.beforePut = _ => {
      asked.countDown()
      go.await()
    }
    new Thread(plans).start()
    asked.await()
    val thread = new Thread(commits)
    thread.start()
    while (thread.getState != Thread.State.BLOCKED && thread.isAlive) Thread.onSpinWait()
    assert(thread.isAlive, "it has committed within the plan")
    go.countDown()
    assert(plans.get().json().contains("\"splits\":1"))
    commits.get()
    stream.stop()
  }

  private val Schema = new StructType().add("id", IntegerType).add("at", TimestampType)
  private val Text   = "2026-07-01 10:00:00"
  private val InUtc  = Row(1, Timestamp.from(Instant.parse("2026-07-01T10:00:00Z")))

  for {
    (name, options, path, content) <- Seq(
      ("JSON", Map("format" -> "json"), "a.json", s"""{"id":1,"at":"$Text"}"""),
      ("CSV", Map("format" -> "csv"), "a.csv", s"1,$Text"),
      (
        "JSON in pieces",
        Map("format" -> "json", "maxRowsPerTrigger" -> "1"),
        "a.json",
        s"""{"id":1,"at":"$Text"}"""
      ),
      ("a directory", Map("format" -> "json"), "at=2026-07-01 10%3A00%3A00/a.json", """{"id":1}""")
    )
  }
    test(s"a micro-batch of $name that was planned in one time zone returns equal rows in another") {
      val (in, state) = (new Input, new MemoryState)
      in.write(path, s"$content\n$content\n")
      val planned = stream(in, state, "UTC", options)
      val end     = planned.latestOffset(planned.initialOffset(), planned.getDefaultReadLimit)
      planned.stop()
      val restarted = stream(in, state, "Asia/Tokyo", options)
      assert(rows(restarted, restarted.initialOffset(), end).toSet === Set(InUtc))
      restarted.stop()
    }

  test("the rest of a file keeps the time zone of its first piece, and a new file has the current zone") {
    val (in, state) = (new Input, new MemoryState)
    val options     = Map("format" -> "json", "maxRowsPerTrigger" -> "1")
    in.write("a.json", s"""{"id":1,"at":"$Text"}\n{"id":1,"at":"$Text"}\n""")
    val first = stream(in, state, "UTC", options)
    val one   = first.latestOffset(first.initialOffset(), first.getDefaultReadLimit)
    first.stop()
    in.write("b.json", s"""{"id":1,"at":"$Text"}\n""")
    val second = stream(in, state, "Asia/Tokyo", options)
    val two    = second.latestOffset(one, second.getDefaultReadLimit)
    val three  = second.latestOffset(two, second.getDefaultReadLimit)
    assert(rows(second, one, two) === Seq(InUtc))
    assert(rows(second, two, three) === Seq(Row(1, Timestamp.from(Instant.parse("2026-07-01T01:00:00Z")))))
    second.stop()
  }

  test("a format whose reader has one time zone refuses a file that was planned in another") {
    val (in, state) = (new Input, new MemoryState)
    in.write("a.json", s"""[{"id":1,"at":"$Text"}]""")
    val options = Map("format" -> "json", "multiLine" -> "true")
    val planned = stream(in, state, "UTC", options)
    val end     = planned.latestOffset(planned.initialOffset(), planned.getDefaultReadLimit)
    planned.stop()
    val restarted = stream(in, state, "Asia/Tokyo", options)
    val refused   = intercept[StoplogException](rows(restarted, restarted.initialOffset(), end))
    assert(refused.getCondition === "STOPLOG_SOURCE_FILE_SETTINGS")
    assert(refused.getMessage.contains("set timeZone to UTC"))
    restarted.stop()
    val corrected = stream(in, state, "Asia/Tokyo", options + ("timeZone" -> "UTC"))
    assert(rows(corrected, corrected.initialOffset(), end) === Seq(InUtc))
    corrected.stop()
  }

  test("a file that was planned as a whole is read with a corrected charset") {
    val (in, state) = (new Input, new MemoryState)
    val options     = Map("format" -> "json")
    val text        = (1 to 1000).map(id => s"""{"id":$id,"größe":"ä"}\n""").mkString
    Files.write(in.root.resolve("a.json"), text.getBytes(ISO_8859_1))
    val planned = stream(in, state, "UTC", options)
    val end     = planned.latestOffset(planned.initialOffset(), planned.getDefaultReadLimit)
    planned.stop()
    val corrected = stream(in, state, "UTC", options + ("charset" -> "ISO-8859-1"))
    assert(rows(corrected, corrected.initialOffset(), end).map(_.getInt(0)) === (1 to 1000))
    corrected.stop()
  }

  for {
    (name, limit, option, value) <- Seq(
      ("a.json", "maxBytesPerTrigger", "charset", "ISO-8859-1"),
      ("a.json", "maxBytesPerTrigger", "multiLine", "true"),
      ("a.json.gz", "maxRowsPerTrigger", "multiLine", "true"),
      ("a.json.gz", "maxRowsPerTrigger", "charset", "UTF-16LE"),
      ("a.json.gz", "maxRowsPerTrigger", "lineSep", "}\n"),
      ("a.json", "maxBytesPerTrigger", "lineSep", "}\n")
    )
  }
    test(s"a piece of $name that was planned with another $option is refused") {
      val (in, state) = (new Input, new MemoryState)
      val options     = Map("format" -> "json", limit -> "20")
      val text        = (1 to 100).map(id => s"""{"id":$id}\n""").mkString
      if (name.endsWith(".gz")) in.gzip(name, text) else in.write(name, text)
      val planned = stream(in, state, "UTC", options)
      val one     = planned.latestOffset(planned.initialOffset(), planned.getDefaultReadLimit)
      val two     = planned.latestOffset(one, planned.getDefaultReadLimit)
      planned.stop()
      val changed = stream(in, state, "UTC", options + (option -> value))
      for ((start, end) <- Seq((changed.initialOffset(), one), (one, two))) {
        val refused = intercept[StoplogException](rows(changed, start, end))
        assert(refused.getCondition === "STOPLOG_SOURCE_FILE_SETTINGS")
      }
      changed.stop()
      val restored = stream(in, state, "UTC", options)
      val found    = rows(restored, restored.initialOffset(), two).map(_.getInt(0))
      assert(found.nonEmpty && found === (1 to found.size))
      restored.stop()
    }

  test("the log records no time zone if no value depends on a zone") {
    val (in, state) = (new Input, new MemoryState)
    in.write("a.json", """{"id":1}""")
    val options = SourceOptions.parse(Map("path" -> in.root.toString, "format" -> "json").asJava)
    val columns = new StructType().add("id", IntegerType)
    val driver  = SourceDriver.ofQuery(FileReads.source(options, columns, columns, Nil).source, state, 10)
    assert(driver.splits(0, driver.plan(0, ReadLimits.none)).map(_.file.zone).toSeq === Seq(None))
    driver.close()
  }

  /** A stream of a session with a time zone. */
  private def stream(in: Input, state: MemoryState, zone: String, options: Map[String, String]) = {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try {
      val parsed = SourceOptions.parse((options + ("path" -> in.root.toString)).asJava)
      val read   = FileReads.source(parsed, Schema, Schema, Nil)
      new SourceStream(read.source, state, parsed.limits, 1, read.vectors)
    } finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  private def rows(stream: SourceStream[FileSplit], start: Offset, end: Offset): Seq[Row] = {
    val toRow   = CatalystTypeConverters.createToScalaConverter(Schema)
    val readers = stream.createReaderFactory()
    stream.planInputPartitions(start, end).toSeq.flatMap { partition =>
      Using.resource(readers.createReader(partition)) { reader =>
        Iterator
          .continually(reader)
          .takeWhile(_.next())
          .map(r => toRow(r.get().copy()).asInstanceOf[Row])
          .toVector
      }
    }
  }

  private def source(in: Input): SplitSource[FileSplit, _, InternalRow] = {
    val options = SourceOptions.parse(java.util.Map.of("path", in.root.toString, "format", "text"))
    val columns = FileReads.schema(options)
    FileReads.source(options, columns, columns, Nil).source
  }
}
