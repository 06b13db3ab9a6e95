// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Causes
import stoplog.format.SparkSessionForTests

class CheckpointInSinkSuite extends AnyFunSuite with SparkSessionForTests {

  for (directory <- Seq("checkpoint", "a/b", "_stoplog/checkpoint"))
    test(s"the start rejects a checkpoint at $directory under the sink's path and writes nothing") {
      val place = new TestDirectory
      val error = intercept[IllegalArgumentException with SparkThrowable] {
        SinkRuns.writer(rows, place.out, s"${place.out}/$directory", "always").start()
      }
      assert(error.getCondition === "STOPLOG_CHECKPOINT_IN_SINK")
      assert(!Files.exists(Path.of(place.out)))
    }

  test("a hidden checkpoint under the sink's path is accepted, and readers find only the rows") {
    val place = new TestDirectory
    SinkRuns.run(SinkRuns.writer(rows, place.out, s"${place.out}/_checkpoint", "always"))
    assert(place.lines === Seq("a row"))
  }

  test("the first epoch rejects a checkpoint from the session's settings and publishes nothing") {
    val place   = new TestDirectory
    val setting = "spark.sql.streaming.checkpointLocation"
    spark.conf.set(setting, place.out)
    try {
      val query = FileSink
        .forRowFormat(place.out, "text")
        .build()
        .writeStream(rows)
        .queryName("inside")
        .start()
      val error = intercept[StreamingQueryException](query.processAllAvailable())
      assert(Causes.of(error).exists(_.toString.contains("STOPLOG_CHECKPOINT_IN_SINK")))
      assert(!Files.exists(Path.of(place.out, "_stoplog")))
    } finally spark.conf.unset(setting)
  }

  test("a preflight reports the rejection as a problem") {
    val place = new TestDirectory
    val sink  = FileSink
      .forRowFormat(place.out, "text")
      .withOption("checkpointLocation", s"${place.out}/checkpoint")
      .build()
    val found = sink.check(spark.range(1).selectExpr("string(id) AS value"))
    assert(!found.isReady && found.problems.map(_.name) === Vector("checkpoint"), found)
  }

  private def rows = {
    val input = MemoryStream[String](spark.implicits.newStringEncoder, spark)
    input.addData("a row")
    input.toDF()
  }
}
