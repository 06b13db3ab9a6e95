// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, GracefulStop, OpenAtStop, Stopped}
import stoplog.format.SparkSessionForTests

/** Each row in the stream names a micro-batch; a task that reads `wait` does not end before the test lets it. */
class GracefulStopSuite extends AnyFunSuite with SparkSessionForTests {

  test("the active micro-batch finishes, no further batch starts, and all rows are readable") {
    val place   = new TestDirectory
    val barrier = new Barrier
    val input   = memory
    val query   = start(place, barrier.rows(input))
    input.addData("wait")
    barrier.awaitTask()
    input.addData("later")
    val stopped = stopping(query)
    barrier.release()
    assert(stopped.get(5, TimeUnit.MINUTES) === Stopped.BetweenBatches)
    assert(!query.isActive && query.exception.isEmpty)
    assert(place.lines === Seq("wait"))

    assert(
      GracefulStop.afterBatch(
        idle(start(place, input.toDF()), batches = 2),
        MinutesMillis,
        OpenAtStop.Finalize
      ) ===
        Stopped.BetweenBatches
    )
    assert(place.lines === Seq("later", "wait"))
  }

  test("open parts stay open by default, and the next start resumes them") {
    val place = new TestDirectory
    val input = memory
    input.addData("a row")
    val query = idle(start(place, input.toDF()), batches = 1)
    assert(GracefulStop.afterBatch(query, MinutesMillis) === Stopped.BetweenBatches)
    assert(place.files.isEmpty && place.everything.exists(_.contains("inprogress")))
    input.addData("another row")
    val next = idle(start(place, input.toDF()), batches = 2)
    assert(GracefulStop.afterBatch(next, MinutesMillis, OpenAtStop.Finalize) === Stopped.BetweenBatches)
    assert(place.files.size === 1 && place.lines === Seq("a row", "another row"))
  }

  test("after the timeout, the query stops at once and the next start repeats the epoch") {
    val place   = new TestDirectory
    val barrier = new Barrier
    val input   = memory
    val query   = start(place, barrier.rows(input))
    input.addData("wait")
    barrier.awaitTask()
    assert(GracefulStop.afterBatch(query, timeoutMillis = 0) !== Stopped.BetweenBatches)
    assert(FileSink.awaitEnd(query.runId.toString, MinutesMillis) && place.lines.isEmpty)

    barrier.release()
    assert(
      GracefulStop.afterBatch(
        idle(start(place, input.toDF()), batches = 1),
        MinutesMillis,
        OpenAtStop.Finalize
      ) ===
        Stopped.BetweenBatches
    )
    assert(place.lines === Seq("wait"))
  }

  test("a query with another sink also ends after its micro-batch") {
    val barrier = new Barrier
    val input   = memory
    val query   = barrier.rows(input).writeStream.format("noop").trigger(AtOnce).start()
    input.addData("wait")
    barrier.awaitTask()
    val stopped = stopping(query)
    barrier.release()
    assert(stopped.get(5, TimeUnit.MINUTES) === Stopped.BetweenBatches)
  }

  test("a marker file stops the query and does not stop the next query") {
    val place  = new TestDirectory
    val input  = memory
    val marker = Path.of(place.checkpoint).resolveSibling("stop")
    input.addData("a row")
    val query   = idle(start(place, input.toDF()), batches = 1)
    val watched =
      GracefulStop.onMarker(query, marker.toString, everyMillis = 10, MinutesMillis, OpenAtStop.Finalize)
    Files.createFile(marker)
    assert(query.awaitTermination(MinutesMillis))
    watched.close()
    assert(!Files.exists(marker), "the process may end after the close")
    assert(place.lines === Seq("a row"))
  }

  test("a watch that was closed before its marker exists stops no query") {
    val place   = new TestDirectory
    val input   = memory
    val marker  = Path.of(place.checkpoint).resolveSibling("stop")
    val query   = start(place, input.toDF())
    val watched =
      GracefulStop.onMarker(query, marker.toString, everyMillis = 1, MinutesMillis, OpenAtStop.Finalize)
    try {
      watched.close()
      Files.createFile(marker)
      input.addData("a row")
      idle(query, batches = 1)
      assert(query.isActive && Files.exists(marker))
    } finally query.stop()
  }

  private def start(place: TestDirectory, rows: DataFrame): StreamingQuery =
    FileSink
      .forRowFormat(place.out, "text")
      .build()
      .writeStream(rows)
      .option("checkpointLocation", place.checkpoint)
      .trigger(AtOnce)
      .start()

  /** The query, once so many micro-batches have been done and it waits for data. */
  private def idle(query: StreamingQuery, batches: Int): StreamingQuery = {
    query.processAllAvailable()
    assert(query.lastProgress.batchId >= batches - 1)
    query
  }

  /** The query is to end behind its micro-batch from now on; a thread waits for its end. */
  private def stopping(query: StreamingQuery): CompletableFuture[Stopped] = {
    val stopping = new stoplog.GracefulStop.Stopping(query, OpenAtStop.Finalize)
    stopping.hold()
    CompletableFuture.supplyAsync(() => stopping.within(MinutesMillis), new Thread(_).start())
  }

  private def memory: MemoryStream[String] = MemoryStream[String](spark.implicits.newStringEncoder, spark)

  private val AtOnce        = Trigger.ProcessingTime(0)
  private val MinutesMillis = 300000L

  /** Where a task waits for the test. Both are in this JVM. */
  private final class Barrier {
    private val id = Barriers.add()

    def rows(input: MemoryStream[String]): DataFrame = {
      val number = id
      input
        .toDS()
        .map { row =>
          if (row == "wait") Barriers.pass(number)
          row
        }(spark.implicits.newStringEncoder)
        .toDF()
    }

    def awaitTask(): Unit = assert(Barriers(id).reached.await(5, TimeUnit.MINUTES))

    def release(): Unit = Barriers(id).opened.countDown()
  }
}

/** Found by their numbers, because what a task refers to travels as bytes. */
private object Barriers {
  final class Two {
    val reached = new CountDownLatch(1)
    val opened  = new CountDownLatch(1)
  }

  private var all = Vector.empty[Two]

  def add(): Int = synchronized {
    all :+= new Two
    all.size - 1
  }

  def apply(number: Int): Two = synchronized(all(number))

  def pass(number: Int): Unit = {
    apply(number).reached.countDown()
    apply(number).opened.await()
  }
}
