// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.streaming.StreamingQueryListener.{QueryProgressEvent, QueryTerminatedEvent}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, GracefulStop, OpenAtStop, Stopped}
import stoplog.format.SparkSessionForTests
import stoplog.options.SparkHadoop
import stoplog.stores.SinkStorage

/** What a query leaves open, and the next start of it without data: Spark tells a sink of ends and starts on a queue. */
class RunEndsSuite extends AnyFunSuite with SparkSessionForTests {

  test("without data, the clock closes parts of an earlier run") {
    val place = new LeftOpen
    end(place.first())
    assert(
      place.settings("inactivityInterval", "bucketCheckInterval", "trigger") === Seq("1h", "20ms", "unending")
    )
    val second = place.start("10ms")
    try {
      place.until(_.nonEmpty)
      place.stream.addData("bat")
      place.until(_.size == 2)
    } finally end(second)
    assert(place.lines === Seq("ant", "bat"))
    assert(place.reasons === Seq("inactivity", "inactivity"))
  }

  test("without data, a query that ends publishes left-open parts despite late start events") {
    val place = new LeftOpen
    val first = place.first()
    holdingEvents { case _: QueryTerminatedEvent => () } { release =>
      end(first)
      assert(place.lines === Nil)
      val second = place.start("1h", Trigger.AvailableNow())
      second.awaitTermination()
      release()
      assert(FileSink.awaitEnd(second.runId.toString, timeoutMillis = 300000))
      assert(place.lines === Seq("ant"))
    }
  }

  test("without data, the clock closes parts of a run that a new start has stopped") {
    val place  = new LeftOpen
    val first  = place.first()
    val second = place.start("10ms") // Spark stops a run that is active when its query is started again
    try place.until(_.nonEmpty)
    finally end(second)
    assert(!first.isActive)
    assert(place.lines === Seq("ant"))
  }

  test("without data, the clock closes parts of a run whose end event follows the restart") {
    val place = new LeftOpen
    holdingEvents { case _: QueryProgressEvent => () } { release =>
      place.first().stop()
      val second = place.start("10ms")
      release()
      try place.until(_.nonEmpty)
      finally end(second)
      assert(place.lines === Seq("ant"))
    }
  }

  test("without data, a stop between batches right after the start publishes left-open parts") {
    val place = new LeftOpen
    end(place.first())
    assert(
      GracefulStop.afterBatch(
        place.start("1h"),
        timeoutMillis = 300000,
        OpenAtStop.Finalize
      ) === Stopped.BetweenBatches
    )
    assert(place.lines === Seq("ant"))
  }

  test("a restart writes with the settings of the query's session, not of the active session") {
    val place = new TestDirectory
    val input = Files.createDirectory(Path.of(place.out).resolveSibling("in"))
    val tokyo = spark.newSession()
    tokyo.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    def start() = FileSink
      .forRowFormat(place.out, "text")
      .withOption("bucketBy", "concat('hour=', hour(timestamp_seconds(length(value) * 0L)))")
      .build()
      .writeStream(tokyo.readStream.text(input.toString))
      .option("checkpointLocation", place.checkpoint)
      .start()
    def arrive(row: String): Unit = { Files.writeString(input.resolve(s"$row.txt"), s"$row\n"); () }
    arrive("ant")
    val first = start()
    first.processAllAvailable()
    end(first)
    val second = start()
    second.processAllAvailable() // its run is made without data
    arrive("bat")
    second.processAllAvailable()
    assert(
      GracefulStop.afterBatch(second, timeoutMillis = 300000, OpenAtStop.Finalize) === Stopped.BetweenBatches
    )
    assert(place.lines === Seq("ant", "bat"))
    assert(place.directories === Set("hour=9"))
  }

  test("a run without an end event from Spark ends by the clock as failed") {
    val place    = new LeftOpen
    val first    = place.first()
    val listener = RunEnds.listenerOf(spark.sparkContext)
    spark.sparkContext.removeSparkListener(listener)
    try first.stop()
    finally spark.sparkContext.addSparkListener(listener)
    for (_ <- 1 until RunEnds.LooksMissed) RunEnds.lookAround()
    assert(RunEnds.running(first.runId.toString).isDefined)
    RunEnds.lookAround()
    assert(FileSink.awaitEnd(first.runId.toString, timeoutMillis = 300000))
    assert(RunEnds.running(first.runId.toString).isEmpty && place.lines.isEmpty)
    end(place.start("1h", Trigger.AvailableNow()))
  }

  /** Spark tells of nothing that comes behind an event of this kind until it is released. The sink hears of the event itself.
    */
  private def holdingEvents(
      kind: PartialFunction[SparkListenerEvent, Unit]
  )(test: (() => Unit) => Unit): Unit = {
    val released = new CountDownLatch(1)
    val listener = new SparkListener {
      override def onOtherEvent(event: SparkListenerEvent): Unit =
        if (kind.isDefinedAt(event)) released.await()
    }
    spark.sparkContext.addSparkListener(listener)
    try test(() => released.countDown())
    finally {
      released.countDown()
      spark.sparkContext.removeSparkListener(listener)
    }
  }

  private def end(query: StreamingQuery): Unit = {
    query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
  }

  /** The place of one query. */
  private final class LeftOpen {
    private val place                = new TestDirectory
    val stream: MemoryStream[String] = MemoryStream[String](spark.implicits.newStringEncoder, spark)

    /** A run that has committed an epoch of one row, whose part is open. */
    def first(): StreamingQuery = {
      stream.addData("ant")
      val query = start("1h")
      query.processAllAvailable()
      query
    }

    def start(inactivity: String, trigger: Trigger = Trigger.ProcessingTime(0)): StreamingQuery = FileSink
      .forRowFormat(place.out, "text")
      .withOption("bucketAssigner", "basePath")
      .withOption("inactivityInterval", inactivity)
      .withBucketCheckInterval("20ms")
      .build()
      .writeStream(stream.toDF())
      .option("checkpointLocation", place.checkpoint)
      .trigger(trigger)
      .start()

    def lines: Seq[String] = place.lines

    def reasons: Seq[String] = place.reasons(spark)

    def until(wanted: Seq[_] => Boolean): Unit = place.until(wanted)

    def settings(names: String*): Seq[String] = names.map(
      SinkStorage.reading(place.out, "main", SparkHadoop.configuration).log.newest().get.state.settings
    )
  }
}
