// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.avro.file.DataFileReader
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.BucketingSink
import stoplog.bucketing._
import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests
import stoplog.options.SparkHadoop
import stoplog.stores.SinkStorage

/** Programs that were written for Flink's sink of this name. */
class BucketingSinkSuite extends AnyFunSuite with SparkSessionForTests {

  private val defaults = Map(
    "path"                -> "/base/path",
    "format"              -> "text",
    "bucketAssigner"      -> "dateTime",
    "bucketFormat"        -> "yyyy-MM-dd--HH",
    "bucketTimeZone"      -> "UTC",
    "inProgress"          -> "bucket",
    "partSuffix"          -> "",
    "rollingPolicy"       -> "default",
    "maxPartSize"         -> "384m",
    "rolloverInterval"    -> "none",
    "inactivityInterval"  -> "1m",
    "bucketCheckInterval" -> "1m",
    "onRestart"           -> "finish"
  )

  private val setters = Seq[(BucketingSink => BucketingSink, Map[String, String])](
    (_.setBucketer(DateTimeBucketer("yyyy")), Map("bucketFormat" -> "yyyy")),
    (
      _.setBucketer(DateTimeBucketer("yyyy", ZoneId.of("Asia/Tokyo"))),
      Map("bucketFormat" -> "yyyy", "bucketTimeZone" -> "Asia/Tokyo")
    ),
    (_.setBatchSize(1024L * 1024 * 400), Map("maxPartSize" -> "400m")),
    (_.setBatchRolloverInterval(20L * 60 * 1000), Map("rolloverInterval" -> "20m")),
    (_.setBatchRolloverInterval(Long.MaxValue), Map.empty),
    (_.setInactiveBucketThreshold(1500), Map("inactivityInterval" -> "1500ms")),
    (_.setInactiveBucketCheckInterval(30000), Map("bucketCheckInterval" -> "30s")),
    (_.setInProgressPrefix("."), Map("bucketingSink.inProgressPrefix" -> ".")),
    (_.setInProgressSuffix(".open"), Map("bucketingSink.inProgressSuffix" -> ".open")),
    (_.setPendingPrefix("_p"), Map("bucketingSink.pendingPrefix" -> "_p")),
    (_.setPendingSuffix(".closed"), Map("bucketingSink.pendingSuffix" -> ".closed")),
    (_.setUseTruncate(false), Map("bucketingSink.useTruncate" -> "false")),
    (
      _.setUseTruncate(false).setValidLengthPrefix("_v").setValidLengthSuffix(".length"),
      Map(
        "bucketingSink.useTruncate"       -> "false",
        "bucketingSink.validLengthPrefix" -> "_v",
        "bucketingSink.validLengthSuffix" -> ".length"
      )
    ),
    (_.setPartPrefix("rows"), Map("partPrefix" -> "rows")),
    (_.setPartSuffix(".txt"), Map("partSuffix" -> ".txt")),
    (_.setOnRestart("continue"), Map("onRestart" -> "continue")),
    (_.setOption("maxOpenParts", "7"), Map("maxOpenParts" -> "7")),
    (_.setWriter(StringWriter), Map.empty),
    (
      _.setWriter(SequenceFileWriter()),
      Map("format" -> "sequencefile", "compression" -> "none", "compressionType" -> "none")
    ),
    (
      _.setWriter(SequenceFileWriter("gzip", "record")),
      Map("format" -> "sequencefile", "compression" -> "gzip", "compressionType" -> "record")
    )
  )

  test("default options equal Flink's defaults") {
    assert(options(identity) === defaults)
  }

  for (((set, changed), number) <- setters.zipWithIndex)
    test(s"setter $number sets $changed") {
      assert(options(set) === defaults ++ changed)
    }

  test("setters that are called as statements take effect") {
    val sink = new BucketingSink("/base/path")
    sink.setBatchSize(1L << 30)
    sink.setPartPrefix("rows")
    assert(
      sink.build().options().asScala.toMap === defaults ++ Map("maxPartSize" -> "1g", "partPrefix" -> "rows")
    )
  }

  test("custom bucketers and writers become options") {
    assert(
      options(_.setBucketer(BasePathBucketer)) ===
        defaults -- Seq("bucketFormat", "bucketTimeZone") + ("bucketAssigner" -> "basePath")
    )
    val own = options(_.setBucketer(new FirstLetter("letter=")).setWriter(new BracketEncoder("[")))
    assert(own("bucketAssigner").startsWith("instance:") && own("format").startsWith("instance:"))
  }

  test("rejects empty markers, because readers would see unfinished files") {
    val markers = Seq[BucketingSink => BucketingSink](
      _.setInProgressPrefix(""),
      _.setInProgressSuffix(""),
      _.setPendingPrefix(""),
      _.setPendingSuffix(""),
      _.setValidLengthPrefix(""),
      _.setValidLengthSuffix("")
    )
    for (set <- markers) {
      val refused = intercept[StoplogArgumentException](set(new BucketingSink("/base/path")))
      assert(refused.getMessage.contains("every sink of stoplog is exactly-once"))
    }
    val shown = intercept[StoplogArgumentException](new BucketingSink("/a").setPendingPrefix("p").build())
    assert(shown.getMessage.contains("readers would read such files as data"))
  }

  test("writes lines to hourly buckets, and the next run publishes parts of a stopped run") {
    val place                  = new TestDirectory
    val stream                 = MemoryStream[String](spark.implicits.newStringEncoder, spark)
    def run(row: String): Unit = {
      val sink = new BucketingSink(place.out)
        .setInactiveBucketThreshold(24L * 60 * 60 * 1000)
        .setOption("finalizeOnTermination", "never")
      stream.addData(row)
      SinkRuns.run(sink.writeStream(stream.toDF()).option("checkpointLocation", place.checkpoint))
    }
    run("ant")
    assert(place.files.isEmpty)
    assert(inBuckets(place).forall(_.matches(s"$Hour/_part-[0-9a-f]{12}-\\d+\\.in-progress\\.main-.*")))
    run("bat")
    assert(place.lines === Seq("ant"))
    assert(place.files.map(_.getFileName.toString).forall(_.matches("part-[0-9a-f]{12}-\\d+")))
    run("cat")
    assert(place.lines === Seq("ant", "bat"))
    assert(place.reasons(spark).toSet === Set("restart"))
    assert(noted(place, "onRestart") === Some("finish"))
  }

  test("writes pairs in Avro like Hadoop's AvroKeyValueOutputFormat") {
    val place  = new TestDirectory
    val writer = AvroKeyValueSinkWriter(
      "\"long\"",
      """{"type":"record","name":"V","fields":[{"name":"a","type":"int"}]}"""
    )
    val sink = new BucketingSink(place.out).setWriter(writer).setBucketer(BasePathBucketer)
    sink.build().write(spark.sql("SELECT 7L AS key, named_struct('a', 8) AS value")).save()
    val file = new DataFileReader(place.files.head.toFile, new GenericDatumReader[GenericRecord]())
    try {
      assert(file.getSchema.getFullName === "org.apache.avro.mapreduce.KeyValuePair")
      assert(file.getSchema.getField("value").schema.getFullName === "V")
      assert(file.iterator.asScala.map(_.toString).toSeq === Seq("""{"key": 7, "value": {"a": 8}}"""))
    } finally file.close()
  }

  private val Hour = "\\d{4}-\\d{2}-\\d{2}--\\d{2}"

  private def options(set: BucketingSink => BucketingSink): Map[String, String] =
    set(new BucketingSink("/base/path")).build().options().asScala.toMap

  private def inBuckets(place: TestDirectory): Set[String] = {
    val found = place.everything.filterNot(_.startsWith("_stoplog"))
    assert(found.nonEmpty)
    found
  }

  private def noted(place: TestDirectory, setting: String): Option[String] =
    SinkStorage
      .reading(place.out, "main", SparkHadoop.configuration)
      .log
      .newest()
      .get
      .state
      .settings
      .get(setting)
}
