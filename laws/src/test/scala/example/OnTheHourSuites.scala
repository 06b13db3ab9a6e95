// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.laws.RollingPolicyLaws
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** What every policy has to promise. */
class OnTheHourLaws extends RollingPolicyLaws {
  override protected def policy: RollingPolicy           = new OnTheHour()
  override protected def longestOpenMillis: Option[Long] = Some(3600000L)
}

/** What this one promises. */
class OnTheHourSuite extends AnyFunSuite {
  private val hour = 3600000L

  test("the first row of an hour goes to a new part") {
    val policy = new OnTheHour()
    val part   = Opened(atMillis = 10 * hour + 5)
    assert(policy.beforeRow(part, 11 * hour - 1) === None)
    assert(policy.beforeRow(part, 11 * hour) === Some(RollReason.Custom("newHour")))
  }

  test("a part that is too large ends before its hour") {
    val policy = new OnTheHour(maxBytes = 100)
    assert(policy.onEpochEnd(Opened(10 * hour, sizeBytes = 100), 10 * hour) === None)
    assert(policy.onEpochEnd(Opened(10 * hour, sizeBytes = 101), 10 * hour) === Some(RollReason.Size))
  }

  private case class Opened(atMillis: Long, sizeBytes: Long = 1) extends PartStats {
    override def bucket: String            = ""
    override def records: Long             = 1
    override def openedAtMillis: Long      = atMillis
    override def lastWrittenAtMillis: Long = atMillis
  }
}

/** The policy and the format in a query, as its users write them. */
class OwnWordsQuerySuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark =
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

  override protected def afterAll(): Unit = spark.stop()

  test("a stream with an own format and an own policy writes each row once") {
    val place = Files.createTempDirectory("own-words")
    for (last <- Seq(549, 749)) run(place, last)
    val lines = spark.read.text(place.resolve("out").toString).collect().map(_.getString(0)).toSeq
    assert(lines.sorted === (0 to 749).map(n => s"number=$n\tparity=${n % 2}").sorted)
    val parts = spark.read.format("stoplog").option("view", "parts").load(place.resolve("out").toString)
    assert(parts.select("name").collect().forall(_.getString(0).endsWith(".ltsv")))
  }

  private def run(place: Path, last: Int): Unit = {
    val query = spark.readStream
      .format("stoplog")
      .option("source", "example.NumbersSource")
      .option("last", last.toString)
      .option("maxRowsPerTrigger", "250")
      .load()
      .selectExpr("number", "number % 2 AS parity")
      .writeStream
      .format("stoplog")
      .option("format", "example.LabelledValues")
      .option("rollingPolicy", "example.OnTheHour")
      .option("bucketAssigner", "basePath")
      .option("checkpointLocation", place.resolve("checkpoint").toString)
      .option("finalizeOnTermination", "always")
      .trigger(Trigger.AvailableNow())
      .start(place.resolve("out").toString)
    query.awaitTermination()
    assert(FileSink.awaitFinished(query, 60000).isComplete)
  }
}
