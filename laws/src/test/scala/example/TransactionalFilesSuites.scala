// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.{col, raise_error, when}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.TwoPhaseSinkLaws
import stoplog.sink.TwoPhaseSink

object CommittedLines {

  /** What a reader finds that passes over hidden names, as all readers of files do. */
  def in(directory: Path): Seq[String] = Using.resource(Files.list(directory)) { files =>
    files.iterator.asScala.toVector
      .filter(file => Files.isRegularFile(file) && !file.getFileName.toString.startsWith("_"))
      .flatMap(Files.readAllLines(_).asScala)
  }
}

/** What every sink has to promise. */
class TransactionalFilesLaws extends TwoPhaseSinkLaws[InternalRow, String] {
  override protected def sink(): TwoPhaseSink[InternalRow] =
    new TransactionalFileSink(Files.createTempDirectory("transactional").toString)

  override protected def row(number: Int): InternalRow = InternalRow(UTF8String.fromString(seen(number)))

  override protected def seen(number: Int): String = s"row $number"

  override protected def read(sink: TwoPhaseSink[InternalRow]): Seq[String] =
    CommittedLines.in(Path.of(sink.target))
}

/** The sink in queries, as its users write them. */
class TransactionalFilesQuerySuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark =
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

  override protected def afterAll(): Unit = spark.stop()

  test("a stream writes each row once, over restarts and failed epochs") {
    val place = Files.createTempDirectory("transactional")
    run(place, last = 549)
    assert(intercept[Exception](run(place, last = 749, broken = Some(700))).getMessage.contains("broken"))
    run(place, last = 749)
    assert(numbers(place) === (0 to 749))
  }

  test("another query is refused, by name") {
    val place = Files.createTempDirectory("transactional")
    run(place, last = 9)
    val error = intercept[Exception](run(place, last = 9, checkpoint = "another", log = Some("checkpoint")))
    assert(error.getMessage.contains("STOPLOG_FOREIGN_QUERY"))
    assert(numbers(place) === (0 to 9))
  }

  test("a batch query writes all rows or, if it fails, none") {
    val place = Files.createTempDirectory("transactional")
    val rows  = spark.range(0, 100, 1, 3)
    def write(broken: Long) = rows
      .select(when(col("id") === broken, raise_error(org.apache.spark.sql.functions.lit("broken")))
        .otherwise(col("id").cast("string"))
        .as("line"))
      .write
      .format("stoplog")
      .option("sink", "example.TransactionalFiles")
      .mode("append")
      .save(place.resolve("out").toString)
    Files.createDirectories(place.resolve("out"))
    intercept[Exception](write(broken = 99))
    assert(numbers(place) === Nil)
    write(broken = -1)
    assert(numbers(place) === (0 to 99))
  }

  private def numbers(place: Path): Seq[Int] = CommittedLines.in(place.resolve("out")).map(_.toInt).sorted

  private def run(
      place: Path,
      last: Int,
      broken: Option[Int] = None,
      checkpoint: String = "checkpoint",
      log: Option[String] = None
  ): Unit = {
    val line = col("number").cast("string")
    val rows = spark.readStream
      .format("stoplog")
      .option("source", "example.NumbersSource")
      .option("last", last.toString)
      .option("maxRowsPerTrigger", "100")
      .load()
      .select(
        broken
          .fold(line)(n =>
            when(col("number") === n, raise_error(org.apache.spark.sql.functions.lit("broken"))).otherwise(line)
          )
          .as("line")
      )
    val write = rows.writeStream
      .format("stoplog")
      .option("sink", "example.TransactionalFiles")
      .option("checkpointLocation", place.resolve(checkpoint).toString)
      .trigger(Trigger.AvailableNow())
    log.foreach(at => write.option("logLocation", place.resolve(at).toString))
    write.start(place.resolve("out").toString).awaitTermination()
  }
}
