// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Paths}
import java.util.{Map => JMap}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{Described, Errors}
import stoplog.format.{RowSink, SparkSessionForTests}
import stoplog.sink.{TwoPhaseCommitter, TwoPhaseSink, TwoPhaseWriter, WriterTask}

/** A query that fails reports its failure, whatever the descriptions of its sink and source do. */
class DescriptionsSuite extends AnyFunSuite with SparkSessionForTests {
  for (
    (name, reason) <- Seq("RefusesColumns" -> "wrong columns", "NoTarget" -> "no target", "NullTarget" -> "")
  )
    test(s"a query into the sink $name ends with an exception") {
      val place = new TestDirectory
      Files.createDirectories(Paths.get(place.out))
      val query = started(place, _.option("sink", s"stoplog.spark.$name"))
      val error = intercept[StreamingQueryException](query.awaitTermination())
      assert(query.exception.isDefined)
      assert(error.getMessage.contains(reason))
    }

  test("a description that throws is replaced, and names the reason") {
    val texts: Seq[() => String] = Seq(
      () => throw Errors.logLocation(),
      () => throw new IllegalStateException("a secret"),
      () => throw new NoClassDefFoundError("absent"),
      () => throw new StackOverflowError,
      () => null
    )
    val all = texts.map(text => Described.as("a sink")(text()))
    assert(all.forall(_.startsWith("a sink (its description failed: ")))
    assert(all.head.contains("STOPLOG_PATH_MISSING") && !all.exists(_.contains("a secret")))
    assert(Described.as("a sink")("at https://user:word@host/") === "at https://…@host/")
  }

  private def started(
      place: TestDirectory,
      sink: org.apache.spark.sql.streaming.DataStreamWriter[org.apache.spark.sql.Row] => Any
  ): StreamingQuery = {
    val rows: DataFrame = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "1").load()
    val writer          = rows.writeStream
      .format("stoplog")
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.AvailableNow())
    sink(writer): Unit
    writer.start(place.out)
  }
}

private object DescriptionsSuite {

  /** Fails wherever a sink can fail before its first row. */
  abstract class Failing(name: => String) extends TwoPhaseSink[InternalRow] {
    override def target: String                                        = name
    override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = throw new IllegalStateException(
      "unused"
    )
    override def committer(): TwoPhaseCommitter = throw new IllegalStateException("no committer")
  }
}

/** Knows no columns, as a sink of a message queue without a column `value`. */
final class RefusesColumns extends RowSink {
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] =
    throw new IllegalArgumentException("wrong columns")
}

final class NoTarget extends RowSink {
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] =
    new DescriptionsSuite.Failing(throw new IllegalStateException("no target")) {
      override def committer(): TwoPhaseCommitter = throw new IllegalStateException("no target")
    }
}

final class NullTarget extends RowSink {
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] =
    new DescriptionsSuite.Failing(null) {}
}
