// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.nio.file.Files
import java.sql.Timestamp

import scala.concurrent.duration.DurationInt

import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** Runs the README's Scala example. `tests/test_readme.py` sees to it that the two are the same. */
class ReadmeSuite extends AnyFunSuite with SparkSessionForTests {

  test("the example in the README writes its rows once") {
    val directory  = Files.createTempDirectory("stoplog-readme")
    val path       = directory.resolve("events").toString
    val checkpoint = directory.resolve("checkpoint").toString
    val events     = incoming(directory.resolve("incoming").toString)

    // README: begin
    import org.apache.spark.sql.streaming.Trigger
    import stoplog.FileSink
    import stoplog.rolling.DefaultRollingPolicy

    val sink = FileSink
      .forRowFormat(path, "json")
      .withBucketBy("date(at)")
      .withRollingPolicy(DefaultRollingPolicy().withMaxPartSizeBytes(64L << 20))
      .withCompression("zstd")
      .build()

    val query = sink
      .writeStream(events)
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    FileSink.awaitFinished(query.runId.toString, timeoutMillis = 60000)
    // README: end

    val read = spark.read.option("recursiveFileLookup", "true").json(path)
    assert(read.count() === 100 && read.select("message").distinct().count() === 100)
  }

  /** A hundred events as a stream. */
  private def incoming(path: String) = {
    val at = new Timestamp(1.day.toMillis)
    spark.createDataFrame((1 to 100).map(n => (at, s"event $n"))).toDF("at", "message").write.json(path)
    spark.readStream.schema("at TIMESTAMP, message STRING").json(path)
  }
}
