// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.{StoplogArgumentException, Thrown}
import stoplog.format.SparkSessionForTests
import stoplog.spark.RunEnds

/** The sink in queries, as its users write them. */
class WriteAheadQuerySuite extends AnyFunSuite with SparkSessionForTests {
  private final class Fixture {
    private val root          = Files.createTempDirectory("wal")
    private val in            = Files.createDirectories(root.resolve("in"))
    val inbox: InMemoryTarget = InMemoryTarget.named(root.toString)

    def arrive(name: String, lines: String*): Unit = {
      Files.writeString(in.resolve(name), lines.mkString("", "\n", "\n"))
      ()
    }

    def run(more: (String, String)*): Unit = write(
      more,
      spark.readStream
        .format("stoplog")
        .option("format", "text")
        .option("maxFilesPerTrigger", "1")
        .load(in.toString)
    )

    /** In the epoch's record, or not yet sent. */
    def kept: Seq[Path] = {
      val beside = root.resolve("checkpoint/_stoplog/main/beside")
      Option(beside.toFile.listFiles()).fold(Seq.empty[Path])(_.toSeq.map(_.toPath))
    }

    /** Returns when nothing of the run is at work: its end tries once more to send what was decided. */
    private def write(more: Seq[(String, String)], rows: DataFrame): Unit = {
      val query = rows.writeStream
        .format("stoplog-wal")
        .option("sender", classOf[InboxSender].getName)
        .option("inbox", root.toString)
        .option("checkpointLocation", root.resolve("checkpoint").toString)
        .options(more.toMap)
        .trigger(Trigger.AvailableNow())
        .start()
      try query.awaitTermination()
      finally assert(RunEnds.await(query.runId.toString, timeoutMillis = 120000))
    }
  }

  /** A batch query of numbers from 0, by so many tasks. */
  private def sendNumbers(root: Path, count: Long, tasks: Int): Unit = spark
    .range(0, count, 1, tasks)
    .selectExpr("cast(id as string) as id")
    .write
    .format("stoplog-wal")
    .option("sender", classOf[InboxSender].getName)
    .option("inbox", root.toString)
    .option("logLocation", root.toString)
    .mode("append")
    .save()

  test("each row arrives once over epochs and restarts, and the log is empty afterwards") {
    val world = new Fixture
    world.arrive("1", "a", "b")
    world.arrive("2", "c")
    world.run()
    world.arrive("3", "d")
    world.run()
    assert(world.inbox.rows.sorted === Seq("a", "b", "c", "d"))
    assert(world.inbox.chunks.size === 3)
    assert(world.kept === Nil)
  }

  test("the next start first sends pending rows without new data") {
    val world = new Fixture
    world.arrive("1", "a", "b")
    world.inbox.isFull = true
    val error = intercept[Exception](world.run())
    assert(error.getMessage.contains("STOPLOG_REQUEST_FAILED"))
    assert(world.inbox.rows === Nil)
    assert(world.kept.size === 1)
    world.inbox.isFull = false
    world.run()
    assert(world.inbox.rows.sorted === Seq("a", "b"))
    assert(world.kept === Nil)
  }

  test("a chunk with missing file and note is reported, and onLostPart=skip skips the chunk") {
    val world = new Fixture
    world.arrive("1", "a", "b")
    world.inbox.isFull = true
    intercept[Exception](world.run())
    world.inbox.isFull = false
    world.kept.foreach(Files.delete)
    val lost = intercept[Exception](world.run()).getMessage
    for (said <- Seq("STOPLOG_ROWS_LOST", "micro-batch 0", "2 rows", "onLostPart"))
      assert(lost.contains(said))
    world.arrive("2", "c")
    world.run("onLostPart" -> "skip")
    assert(world.inbox.rows === Seq("c"))
  }

  test(
    "stop() ends the wait for a busy or silent server, and the next start sends the chunk once",
    LongRun.Only
  ) {
    val waits = Seq[(String, StoppableServer)](
      "Retry-After" -> StoppableServer.busy(),
      "body"        -> StoppableServer.silent()
    )
    for ((what, server) <- waits) {
      val root = Files.createTempDirectory("wal")
      val in   = Files.createDirectories(root.resolve("in"))
      Files.writeString(in.resolve("1"), "a\nb\n")
      def start() = spark.readStream
        .text(in.toString)
        .writeStream
        .format("stoplog-wal")
        .option("sender", "http")
        .option("url", server.url)
        .option("httpTimeout", "200s")
        .option("checkpointLocation", root.resolve("checkpoint").toString)
        .trigger(Trigger.AvailableNow())
        .start()
      try {
        val query = start()
        server.awaitRequest()
        val begun = System.nanoTime()
        query.stop()
        // The server requests 300 s, and the limit of the request is 200 s.
        assert(System.nanoTime() - begun < 60e9, what)
        assert(query.exception.isEmpty, what)
        server.recover()
        start().awaitTermination()
        assert(server.bodies.distinct === Seq("{\"value\":\"a\"}\n{\"value\":\"b\"}\n"), what)
        assert(server.keys.distinct.size === 1, what)
      } finally server.close()
    }
  }

  test("a row that is not JSON is rejected before the log contains the row") {
    val server = StoppableServer.busy()
    server.recover()
    val root = Files.createTempDirectory("wal")
    val in   = Files.createDirectories(root.resolve("in"))
    Files.write(in.resolve("1"), Array[Byte]('a', '\n', -1, '\n'))
    def run(filter: String): Unit = spark.readStream
      .text(in.toString)
      .where(filter)
      .writeStream
      .format("stoplog-wal")
      .option("sender", "http")
      .option("url", server.url)
      .option("checkpointLocation", root.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()
    try {
      assert(Thrown.conditions(intercept[Exception](run("true"))).contains("STOPLOG_UNREADABLE_ROW"))
      run("value = 'a'")
      assert(server.bodies === Seq("{\"value\":\"a\"}\n"))
    } finally server.close()
  }

  test("a batch query sends all rows") {
    val root = Files.createTempDirectory("wal")
    sendNumbers(root, count = 100, tasks = 4)
    assert(InMemoryTarget.named(root.toString).rows.map(_.toInt).sorted === (0 to 99))
  }

  test("all option problems are reported together before any write") {
    val error = intercept[IllegalArgumentException](
      spark
        .range(1)
        .write
        .format("stoplog-wal")
        .option("committer", "com.example.Nope")
        .option("sinkId", "/")
        .mode("append")
        .save()
    )
    for (said <- Seq("sender is not set", "com.example.Nope", "sinkId"))
      assert(error.getMessage.contains(said))
  }

  test("rejects misspelled options, but custom senders may have further options") {
    val asked = Map("sender" -> "http", "url" -> "http://localhost/x", "httpHeader.X-Team" -> "blue")
    val spark = Map("checkpointLocation" -> "/c", "queryName" -> "q", "jdbc.url" -> "jdbc:x")
    WriteAheadOptions.parse(asked ++ spark)
    val error = intercept[IllegalArgumentException](
      WriteAheadOptions.parse(asked ++ Map("commiter" -> "jdbc", "httpRetry" -> "9", "colour" -> "red"))
    )
    for (
      said <- Seq(
        "commiter is not an option: did you mean committer?",
        "httpRetry is not an option: did you mean httpRetries?",
        "colour is not an option: remove it."
      )
    ) assert(error.getMessage.contains(said))
    WriteAheadOptions.parse(Map("sender" -> classOf[InboxSender].getName, "inbox" -> "/i", "colour" -> "red"))
  }

  test("a connector with a missing jar is reported with the required artifact") {
    val error = intercept[StoplogArgumentException](WriteAheadSink.toJdbc("jdbc:derby:memory:d", "t").build())
    assert(error.getCondition === "STOPLOG_JAR_MISSING")
    assert(error.getMessage.contains("io.github.stoplog:stoplog-jdbc_2.13:"))
    val both = intercept[StoplogArgumentException](
      WriteAheadSink.toCassandra("localhost", "shop", "orders").withCommitter("com.example.Nope").build()
    )
    for (said <- Seq("stoplog-cassandra_2.13", "com.example.Nope")) assert(both.getMessage.contains(said))
  }

  test("toString of a sink hides secrets") {
    val sink = WriteAheadSink
      .toHttp("https://example.com/rows")
      .withHeader("Authorization", "hidden")
      .withJdbcOption("password", "hidden")
      .build()
    assert(!sink.toString.contains("hidden"))
    assert(sink.options().get("jdbc.password") === "hidden")
  }

  test("a batch query leaves no notes") {
    val root = Files.createTempDirectory("wal")
    sendNumbers(root, count = 10, tasks = 2)
    val notes = Files.walk(root.resolve("_stoplog/main/sent")).filter(Files.isRegularFile(_))
    assert(notes.count() === 0)
  }

  test("chunks of a stream carry the same query id over restarts") {
    val world = new Fixture
    world.arrive("1", "a")
    world.run()
    world.arrive("2", "b")
    world.run()
    assert(world.inbox.queries.size === 1)
  }
}
