// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, TimeoutException}

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.Dataset
import org.scalatest.funsuite.AnyFunSuite

import stoplog.async.AsyncMapSuite._
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** Calls from Spark, on a pool of the test's own. */
class AsyncMapSuite extends AnyFunSuite with SparkSessionForTests {

  test("each row has its result, in order") {
    import spark.implicits._
    val clicks = spark.range(0, 1000, 1, 3).as[Long].map(id => Click(id, s"ip$id"))
    val named  = AsyncMap.of(clicks).withCapacity(7).map(click => Future(Named(click.id, s"n${click.ip}")))
    assert(named.collect().toSeq === (0L until 1000).map(id => Named(id, s"nip$id")))
    val unordered = AsyncMap.of(clicks).unordered.map(click => Future(click.id))
    assert(unordered.collect().toSet === (0L until 1000).toSet)
  }

  test("a row has any number of results, and batches return results row by row") {
    import spark.implicits._
    val rows     = Seq(2L, 0L, 1L).toDS().coalesce(1)
    val repeated = AsyncMap.of(rows).call(new Repeated)
    assert(repeated.collect().toSeq === Seq(2, 2, 1))
    val batches = AsyncMap.of(rows).callBatches(2)(new Sizes)
    assert(batches.collect().toSeq === Seq(2, 2, 1))
  }

  test("a client is opened and closed once per task, also after a failed call") {
    import spark.implicits._
    Repeated.events.clear()
    val rows = spark.range(0, 6, 1, 2).as[Long]
    AsyncMap.of(rows).call(new Repeated).collect()
    assert(Repeated.events.asScala.toSeq.sorted === Seq("close", "close", "open", "open"))
    Repeated.events.clear()
    intercept[Exception](AsyncMap.of(Seq(-1L).toDS()).call(new Repeated).collect())
    assert(Repeated.events.asScala.toSeq === Seq("open", "close"))
  }

  test("the first permanently failed call ends the query with a named condition") {
    import spark.implicits._
    val failing =
      AsyncMap.of(Seq(-1L).toDS()).withRetry(Retry.upTo(2).withFirstWaitMillis(0)).call(new Repeated)
    val error = intercept[Exception](failing.collect())
    assert(Thrown.conditions(error).headOption.contains("STOPLOG_ASYNC_CALL_FAILED"), error)
  }

  test("rejected rows are returned with their errors for every result type") {
    import spark.implicits._
    val rows               = Seq(1L, -1L, 2L).toDS().coalesce(1)
    val longs              = AsyncMap.of(rows).callOrReject(new Repeated).persist()
    val (results, rejects) = AsyncMap.split[Long, Long](longs)
    val error              = CallError("error", "java.lang.IllegalArgumentException", "no -1", 1)
    assert(results.collect().toSeq === Seq(1, 2, 2))
    assert(rejects.collect().toSeq === Seq((-1L, error)))
    val clicks = rows.map(id => Click(id, "ip"))
    val named  = AsyncMap
      .of(clicks)
      .callOrReject(AsyncFunction.of[Click, Named] { click =>
        if (click.id < 0) Future.failed(new IllegalArgumentException("no -1"))
        else Future(Named(click.id, "n"))
      })
    val (good, bad) = AsyncMap.split[Click, Named](named)
    assert(good.collect().toSeq === Seq(Named(1, "n"), Named(2, "n")))
    assert(bad.collect().toSeq === Seq((Click(-1, "ip"), error)))
  }

  test("rejects calls that time out, and withRejecting limits rejection to chosen errors") {
    import spark.implicits._
    val never = AsyncFunction.of[Long, Long](row =>
      if (row < 0) Future.failed(new RuntimeException) else Promise[Long]().future
    )
    val timeouts = (rows: Dataset[Long]) =>
      AsyncMap
        .of(rows)
        .withTimeoutMillis(1)
        .withRejecting(_.isInstanceOf[TimeoutException])
        .callOrReject(never)
    assert(timeouts(Seq(1L).toDS()).map(_._2._2.reason).collect().toSeq === Seq("timeout"))
    intercept[Exception](timeouts(Seq(-1L).toDS()).collect())
  }

  test("a rate limit bounds the number of tasks") {
    import spark.implicits._
    val rows = spark.range(0, 8, 1, 8).as[Long]
    val map  = AsyncMap.of(rows).withMaxCallsPerSecond(1000)
    assert(map.map(Future(_)).rdd.getNumPartitions === 1)
    assert(map.withMaxTasks(3).map(Future(_)).rdd.getNumPartitions === 3)
    assert(map.withMaxTasks(3).map(Future(_)).collect().toSet === (0L until 8).toSet)
  }

  test("a micro-batch makes its own calls, each once") {
    import spark.implicits._
    val place = Files.createTempDirectory("async")
    val input = Files.createDirectory(place.resolve("in"))
    for (n <- 1 to 3) write(input.resolve(s"$n.txt"), Seq(s"$n-a", s"$n-b"))
    asked.clear()
    val lines = spark.readStream.option("maxFilesPerTrigger", 1).textFile(input.toString)
    val seen  = new ConcurrentLinkedQueue[(Long, String)]
    val query = AsyncMap
      .of(lines)
      .map { line => asked.add(line); Future(line) }
      .writeStream
      .foreachBatch((batch: Dataset[String], id: Long) =>
        batch.collect().foreach(line => seen.add((id, line)))
      )
      .option("checkpointLocation", place.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    val expected = for {
      n   <- 1 to 3
      row <- Seq("a", "b")
    } yield s"$n-$row"
    assert(asked.asScala.toSeq.sorted === expected)
    assert(seen.asScala.groupBy(_._1).values.forall(_.map(_._2.head).toSet.size == 1))
    assert(seen.asScala.map(_._2).toSeq.sorted === expected)
  }

  test("rejects invalid settings") {
    import spark.implicits._
    val map   = AsyncMap.of(Seq(1L).toDS())
    val wrong = Seq[() => Any](
      () => map.withCapacity(0),
      () => map.withTimeoutMillis(0),
      () => map.withMaxCallsPerSecond(0),
      () => map.withMaxTasks(0),
      () => map.callBatches(0)(new Sizes),
      () => Retry.upTo(0),
      () => Retry.upTo(1).withMaxWaitMillis(-1)
    )
    for (each <- wrong)
      assert(intercept[IllegalArgumentException](each()).getMessage.contains("STOPLOG_INVALID_OPTIONS"))
  }

  private def write(file: Path, lines: Seq[String]): Unit = {
    Files.write(file, lines.asJava)
    ()
  }
}

object AsyncMapSuite {

  implicit lazy val pool: ExecutionContext = ExecutionContext.global

  final case class Click(id: Long, ip: String)

  final case class Named(id: Long, name: String)

  val asked = new ConcurrentLinkedQueue[String]

  /** A number as often as it says; refuses those below zero. */
  final class Repeated extends AsyncFunction[Long, Long] {

    override def open(): Unit = note("open")

    override def call(row: Long): Future[Seq[Long]] = Future {
      if (row < 0) throw new IllegalArgumentException(s"no $row")
      Seq.fill(row.toInt)(row)
    }

    override def close(): Unit = note("close")

    private def note(event: String): Unit = {
      Repeated.events.add(event)
      ()
    }
  }

  object Repeated {
    val events = new ConcurrentLinkedQueue[String]
  }

  /** How many rows were asked for together. */
  final class Sizes extends AsyncBatchFunction[Long, Int] {
    override def call(rows: Seq[Long]): Future[Seq[Try[Seq[Int]]]] =
      Future(rows.map(row => if (row < 0) Failure(new RuntimeException) else Success(Seq(rows.size))))
  }
}
