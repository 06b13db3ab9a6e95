// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.SplitSourceLaws
import stoplog.source.SplitSource

/** What every source has to promise. */
class NumbersLaws extends SplitSourceLaws[Numbers, Long, InternalRow] {
  override def source: SplitSource[Numbers, Long, InternalRow] = new NumbersSplits(350)
}

/** The source in queries, as its users write them. */
class NumbersQuerySuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark =
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

  override protected def afterAll(): Unit = spark.stop()

  test("a batch query reads all of it") {
    val numbers = spark.read
      .format("stoplog")
      .option("source", "example.NumbersSource")
      .option("last", "1049")
      .load()
    assert(numbers.selectExpr("sum(number)", "count(*)").head().toString === "[550725,1050]")
  }

  test("a streaming query reads each number once, over restarts") {
    val place = Files.createTempDirectory("numbers")
    assert(rowsOf(run(place, last = 549)) === Seq(200, 200, 150))
    assert(rowsOf(run(place, last = 549)) === Seq())
    assert(rowsOf(run(place, last = 749)) === Seq(200))
    val read = spark.read.text(place.resolve("out").toString).collect().map(_.getString(0).toInt)
    assert(read.sorted === (0 to 749))
  }

  private def run(place: Path, last: Int): StreamingQuery = {
    val numbers = spark.readStream
      .format("stoplog")
      .option("source", "example.NumbersSource")
      .option("last", last.toString)
      .option("maxRowsPerTrigger", "250")
      .load()
    val query = numbers
      .selectExpr("cast(number as string)")
      .writeStream
      .format("text")
      .option("checkpointLocation", place.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start(place.resolve("out").toString)
    query.awaitTermination()
    query
  }

  private def rowsOf(query: StreamingQuery): Seq[Long] =
    query.recentProgress.toSeq.map(_.numInputRows).filter(_ > 0)
}
