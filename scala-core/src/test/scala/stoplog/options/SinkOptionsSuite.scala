// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{Finish, ForeignQuery, LostPart}
import stoplog.writing.OnBadRow
import stoplog.bucket.Bucketing
import stoplog.error.StoplogArgumentException
import stoplog.format.bulk.BulkFormatName
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.storage.{Durability, PartLayout}
import stoplog.util.UserObject

class SinkOptionsSuite extends AnyFunSuite {

  private val json = Map("path" -> "/data/out", "format" -> "json")

  private def parse(more: (String, String)*): SinkOptions = SinkOptions.parse(json ++ more)

  private def refused(options: Map[String, String]): StoplogArgumentException =
    intercept[StoplogArgumentException](SinkOptions.parse(options))

  private def problems(more: (String, String)*): String = {
    val error = refused(json ++ more)
    assert(error.getCondition === "STOPLOG_INVALID_OPTIONS")
    error.getMessageParameters.get("problems")
  }

  test("a path and a format suffice") {
    val o = parse()
    assert(o.output.path === "/data/out")
    assert(o.output.format === FormatChoice.Rows("json"))
    assert(o.output.compression === "none")
    assert(o.rolling.policy === DefaultRollingPolicy())
    assert(o.rolling.checkIntervalMillis === 60000L)
    assert(o.buckets.bucketing === Bucketing.DateTime("'dt='yyyy-MM-dd'/hour='HH", ZoneId.of("UTC"), None))
    assert(o.parts.prefix === "part")
    assert(o.parts.suffix === None)
    assert(o.parts.layout === PartLayout.Staging("main"))
    assert(o.parts.maxOpen === 1000)
    assert(o.parts.distribution === Distribution.Unspecified)
    assert(o.recovery.sinkId === "main")
    assert(o.recovery.onForeignQuery === ForeignQuery.Refuse)
    assert(o.recovery.onRestart === Finish.KeepOpen)
    assert(o.recovery.finalizeOnTermination === FinalizeOnTermination.Auto)
    assert(o.recovery.onLostPart === LostPart.Fail)
    assert(o.recovery.onSchemaChange === OnSchemaChange.Additive)
    assert(o.rejects.onBadRow === OnBadRow.Fail)
    assert(o.recovery.storage.durability === Durability.Disk)
    assert(o.output.passThrough === Map.empty)
    assert(o.checkpointLocation === None)
  }

  test("option names and keywords are case-insensitive") {
    val o =
      parse("SINKID" -> "a", "maxpartsize" -> "1K", "InProgress" -> "STAGING", "distribution" -> "BYBUCKET")
    assert(o.recovery.sinkId === "a")
    assert(o.rolling.policy.asInstanceOf[DefaultRollingPolicy].maxPartSizeBytes === 1024L)
    assert(o.parts.distribution === Distribution.ByBucket)
    assert(parse("compression" -> "GZip").output.compression === "gzip")
  }

  test("parses Spark's map and a Java map like a Scala map") {
    val options = json + ("sinkId" -> "a") + ("dateFormat" -> "yyyy")
    assert(SinkOptions.parse(options.asJava) === SinkOptions.parse(options))
    assert(SinkOptions.parse(new CaseInsensitiveStringMap(options.asJava)) === SinkOptions.parse(options))
  }

  test("all mistakes are reported together") {
    val error = refused(
      Map(
        "format"           -> "jsn",
        "maxPartSize"      -> "big",
        "rolloverInterval" -> "900",
        "sinkID"           -> "a/b",
        "sinkld"           -> "x"
      )
    )
    assert(error.getCondition === "STOPLOG_INVALID_OPTIONS")
    assert(error.getMessageParameters.get("count") === "6")
    val lines = error.getMessageParameters.get("problems").linesIterator.filter(_.nonEmpty).toSeq
    assert(lines.size === 6)
    for (begin <- Seq("path", "format", "maxPartSize", "rolloverInterval", "sinkId", "sinkld"))
      assert(lines.count(_.startsWith(s"  - $begin")) === 1, begin)
    assert(lines.forall(line => line.endsWith(".") || line.endsWith("?")))
  }

  test("a missing path has a separate error condition") {
    assert(refused(Map("format" -> "json")).getCondition === "STOPLOG_PATH_MISSING")
    assert(refused(Map("format" -> "json", "path" -> " ")).getCondition === "STOPLOG_PATH_MISSING")
  }

  test("an unknown option suggests the nearest known option") {
    assert(problems("maxPartSzie" -> "1m").contains("maxPartSzie is not an option: did you mean maxPartSize"))
    assert(problems("dateFromat" -> "yyyy").contains("did you mean dateFormat"))
    assert(problems("kafka.bootstrap.servers" -> "x").contains("is not an option: remove it"))
  }

  test("an option of another system suggests the option here") {
    assert(problems("maxFileSize" -> "1m").contains("maxFileSize is not an option: use maxPartSize."))
    assert(problems("ROTATE.interval.ms" -> "1").contains("use eventTimeInterval."))
    assert(problems("deadLetterPath" -> "/bad").contains("use onBadRow=reject"))
    assert(problems("compression_codec" -> "zstd").contains("use compression."))
    assert(problems("checkpoint_location" -> "/c").contains("use checkpointLocation."))
    assert(parse("checkpointLocation" -> "/c").recovery === parse().recovery)
  }

  test("rejects an option with two different values") {
    val twice = problems("sinkId" -> "a", "SinkId" -> "b")
    assert(twice.contains("one option and have different values"))
    assert(parse("sinkId" -> "a", "SinkId" -> "a").recovery.sinkId === "a")
  }

  test("options of Spark's JSON and CSV pass through in Spark's spelling") {
    val o = parse("dateformat" -> "yyyy", "lineSep" -> "\r\n", "ignoreNullFields" -> "false")
    assert(
      o.output.passThrough === Map("dateFormat" -> "yyyy", "lineSep" -> "\r\n", "ignoreNullFields" -> "false")
    )
    val csv = parse("format" -> "csv", "HEADER" -> "true", "nullValue" -> "", "sep" -> "\t")
    assert(csv.output.passThrough === Map("header" -> "true", "nullValue" -> "", "sep" -> "\t"))
    val text = parse("format" -> "text", "lineSep" -> "\n", "nullValue" -> "-")
    assert(text.output.passThrough === Map("lineSep" -> "\n", "nullValue" -> "-"))
  }

  test("rejects options of other formats and explains Spark's alternative names") {
    assert(problems("header" -> "true").contains("header is an option of csv, and not of format = json"))
    assert(problems("nullValue" -> "-").contains("nullValue has no effect with format = json"))
    assert(problems("format" -> "csv", "codec" -> "gzip").contains("codec is not an option: use compression"))
    assert(
      problems("format" -> "csv", "extension" -> "tsv").contains("extension is not an option: use partSuffix")
    )
  }

  test("a value that Spark rejects is reported with the other mistakes") {
    val csv = problems("format" -> "csv", "header" -> "yess", "sinkId" -> "/")
    assert(csv.contains("format = csv: ") && csv.contains("header") && csv.contains("sinkId"))
    assert(problems("ignoreNullFields" -> "perhaps").contains("format = json: "))
    assert(problems("lineSep" -> "", "encoding" -> "UTF-99").contains("format = json: "))
  }

  test("timeZone sets the zone of buckets and of written timestamps") {
    val o = parse("timeZone" -> "Europe/Berlin")
    assert(
      o.buckets.bucketing === Bucketing.DateTime(
        "'dt='yyyy-MM-dd'/hour='HH",
        ZoneId.of("Europe/Berlin"),
        None
      )
    )
    assert(o.output.passThrough === Map("timeZone" -> "Europe/Berlin"))
    assert(parse("format" -> "text", "timeZone" -> "CET").output.passThrough === Map.empty)
    assert(problems("timeZone" -> "Mars").contains("is not a time zone"))
  }

  test("bucketTimeZone sets the zone of buckets only") {
    val o = parse("bucketTimeZone" -> "Asia/Tokyo", "timeZone" -> "Europe/Berlin")
    assert(
      o.buckets.bucketing === Bucketing.DateTime("'dt='yyyy-MM-dd'/hour='HH", ZoneId.of("Asia/Tokyo"), None)
    )
    assert(o.output.passThrough === Map("timeZone" -> "Europe/Berlin"))
    assert(parse("bucketTimeZone" -> "Asia/Tokyo").output.passThrough === Map.empty)
    assert(problems("bucketTimeZone" -> "UTC", "partitionBy" -> "a").contains("bucketTimeZone has no effect"))
    assert(problems("bucketTimeZone" -> "Mars").contains("is not a time zone"))
  }

  test("options that Spark adds are accepted") {
    val o = parse(
      "checkpointLocation"           -> "/data/cp",
      "queryName"                    -> "q",
      "paths"                        -> "[]",
      "asyncProgressTrackingEnabled" -> "false",
      "__partition_columns"          -> "[]"
    )
    assert(o.checkpointLocation === Some("/data/cp"))
    assert(o.output.passThrough === Map.empty)
  }

  test("a format is required and must be known") {
    assert(problems("format" -> "").contains("format is not set"))
    assert(problems("format" -> "jason").contains("perhaps json"))
    assert(parse("format" -> "Parquet").output.format === FormatChoice.Bulk(BulkFormatName.Parquet))
    assert(problems("format" -> "com.example.X", "sinkId" -> "/").contains("no class com.example.X"))
    assert(problems("format" -> "java.lang.String", "sinkId" -> "/").contains("is not a stoplog.format.bulk"))
    assert(problems("encoder" -> "stoplog.options.NoEncoder").contains("use format"))
    assert(problems("compression" -> "gz").contains("none, gzip, zstd, lz4, snappy, bzip2; perhaps gzip"))
    assert(parse("compression" -> "uncompressed").output.compression === "none")
  }

  test("a bulk format accepts its codecs, library settings and metadata") {
    val o = parse(
      "format"             -> "parquet",
      "compression"        -> "ZSTD",
      "parquet.block.size" -> "1048576",
      "metadata.Owner"     -> "me"
    )
    val passed = Map("compression" -> "zstd", "parquet.block.size" -> "1048576", "metadata.Owner" -> "me")
    assert(o.output.passThrough === passed)
    assert(SinkOptions.parse(o.toMap) === o)
    assert(problems("format" -> "orc", "compression" -> "bzip2").contains("zlib"))
    assert(problems("format" -> "orc", "parquet.block.size" -> "1").contains("not an option"))
  }

  test("accepts custom classes by name and as instances") {
    val o = SinkOptions.parse(
      Map(
        "path"           -> "/data/out",
        "format"         -> "stoplog.options.NoEncoder",
        "bucketAssigner" -> "stoplog.options.OneBucket",
        "rollingPolicy"  -> UserObject.reference(new AtMidnight, "rollingPolicy")
      )
    )
    assert(o.output.format === FormatChoice.UserEncoder("stoplog.options.NoEncoder"))
    assert(o.buckets.bucketing === Bucketing.UserAssigner("stoplog.options.OneBucket"))
    assert(o.rolling.policy.isInstanceOf[AtMidnight])
  }

  test("an unusable class has a separate condition unless other mistakes exist") {
    for (option <- Seq("bucketAssigner", "rollingPolicy")) {
      val error = refused(json + (option -> "com.example.Nope"))
      assert(error.getCondition === "STOPLOG_USER_CODE")
      assert(error.getMessageParameters.get("option") === option)
      assert(problems(option -> "com.example.Nope", "sinkId" -> "/").contains("no class com.example.Nope"))
    }
    val error = refused(Map("path" -> "/data/out", "format" -> "com.example.Nope"))
    assert(error.getCondition === "STOPLOG_USER_CODE")
  }

  test("rejects several ways to choose the bucket") {
    assert(parse("bucketBy" -> "upper(a)").buckets.bucketing === Bucketing.Expression("upper(a)"))
    assert(parse("partitionBy" -> "a, b").buckets.bucketing === Bucketing.PartitionColumns(Seq("a", "b")))
    assert(parse("bucketAssigner" -> "basepath").buckets.bucketing === Bucketing.BasePath)
    val event = parse("bucketAssigner" -> "dateTime", "bucketFormat" -> "yyyy/MM", "bucketColumn" -> "at")
    assert(event.buckets.bucketing === Bucketing.DateTime("yyyy/MM", ZoneId.of("UTC"), Some("at")))
    val both = problems("bucketBy" -> "a", "partitionBy" -> "a,,b")
    assert(both.contains("bucketBy and partitionBy exclude each other"))
    assert(both.contains("partitionBy: 'a,,b' has an empty name"))
    assert(problems("bucketBy" -> "a", "bucketFormat" -> "yyyy").contains("bucketFormat has no effect"))
  }

  test("an invalid pattern or column list is rejected") {
    for (pattern <- Seq("yyyy-qqqqqqqq", "'", "/yyyy", "'_'yyyy", "yyyy//MM"))
      assert(refused(json + ("bucketFormat" -> pattern)).getCondition === "STOPLOG_INVALID_OPTIONS", pattern)
    assert(refused(json + ("partitionBy" -> "a,,b")).getCondition === "STOPLOG_OPTION_COLUMN")
  }

  test("the rolling policy is configured by its applicable options only") {
    val default  = parse("maxPartSize" -> "1m", "maxRecordsPerPart" -> "7", "rolloverInterval" -> "1h")
    val expected = DefaultRollingPolicy()
      .withMaxPartSizeBytes(1L << 20)
      .withMaxRecordsPerPart(7)
      .withRolloverIntervalMillis(3600000L)
    assert(default.rolling.policy === expected)
    assert(parse("maxRecordsPerPart" -> "none").rolling.policy === DefaultRollingPolicy())
    assert(parse("rollingPolicy" -> "oncheckpoint").rolling.policy === OnCheckpointRollingPolicy())
    val sized = parse("rollingPolicy" -> "onCheckpoint", "maxPartSize" -> "1m").rolling.policy
    assert(sized === OnCheckpointRollingPolicy().withMaxPartSizeBytes(1L << 20))
    val idle = problems("rollingPolicy" -> "onCheckpoint", "inactivityInterval" -> "1m")
    assert(idle.contains("inactivityInterval has no effect"))
    val own = problems("rollingPolicy" -> "stoplog.options.AtMidnight", "maxPartSize" -> "1m")
    assert(own.contains("maxPartSize has no effect"))
  }

  test("limits and intervals must be greater than 0") {
    for (
      option <- Seq(
        "maxPartSize", "maxRecordsPerPart", "rolloverInterval", "inactivityInterval", "eventTimeInterval",
        "maxOpenParts"
      )
    )
      assert(problems(option -> "0").contains(option))
    assert(problems("bucketCheckInterval" -> "0s").contains("bucketCheckInterval"))
    assert(problems("maxOpenParts" -> "3000000000").contains("too large"))
  }

  test("part names must stay in their directory and be visible") {
    assert(parse("partPrefix" -> "events", "partSuffix" -> "").parts.suffix === Some(""))
    assert(parse("partPrefix" -> "events").parts.prefix === "events")
    for (prefix <- Seq("_part", ".part", "a/b", "a\\b", "a\nb", "a:b", "x" * 49))
      assert(problems("partPrefix" -> prefix).contains("partPrefix"), prefix)
    assert(problems("partSuffix" -> "/x").contains("partSuffix"))
  }

  test("a sink id is a safe directory name") {
    for (id <- Seq("main", "a", "clicks-2.b_c", "7", "x" * 64))
      assert(parse("sinkId" -> id).recovery.sinkId === id)
    for (id <- Seq("..", ".a", "_a", "-a", "a/b", "a b", "ä", "x" * 65))
      assert(problems("sinkId" -> id).contains("sinkId"), id)
  }

  test("parses options of distribution, ownership and termination") {
    assert(parse("distribution" -> "8").parts.distribution === Distribution.Writers(8))
    for (wrong <- Seq("0", "-1", "many")) assert(problems("distribution" -> wrong).contains("distribution"))
    assert(parse("onForeignQuery" -> "adopt").recovery.onForeignQuery === ForeignQuery.Adopt)
    assert(
      parse("finalizeOnTermination" -> "never").recovery.finalizeOnTermination === FinalizeOnTermination.Never
    )
    assert(parse("onRestart" -> "Finish").recovery.onRestart === Finish.PublishOpen)
    assert(problems("onRestart" -> "continued").contains("perhaps continue"))
    assert(parse("onLostPart" -> "skip").recovery.onLostPart === LostPart.Skip)
    assert(parse("onSchemaChange" -> "Roll").recovery.onSchemaChange === OnSchemaChange.Roll)
    assert(parse("durability" -> "process").recovery.storage.durability === Durability.Process)
    assert(problems("durability" -> "disc").contains("perhaps disk"))
  }

  test("view is a read option only") {
    assert(problems("view" -> "parts").contains("only with spark.read"))
  }

  test("an empty string unsets a session option") {
    val o = parse("bucketBy" -> "", "partitionBy" -> "a", "rolloverInterval" -> "", "partPrefix" -> "")
    assert(o.buckets.bucketing === Bucketing.PartitionColumns(Seq("a")))
    assert(o.rolling.policy === DefaultRollingPolicy())
    assert(o.toMap === json + ("partitionBy" -> "a"))
  }

  test("toMap contains explicit options in registry spelling and parses to the same options") {
    val spelled =
      Map("SINKID" -> "a", "DATEFORMAT" -> "yyyy", "checkpointLocation" -> "/cp", "partSuffix" -> "")
    val o   = parse(spelled.toSeq: _*)
    val map = Map("sinkId" -> "a", "dateFormat" -> "yyyy", "checkpointLocation" -> "/cp", "partSuffix" -> "")
    assert(o.toMap === json ++ map)
    assert(SinkOptions.parse(o.toMap) === o)
  }

  test("every choice renders to options that parse to the same choice") {
    val bucketings = Seq(
      Bucketing.DateTime("yyyy", ZoneId.of("Asia/Tokyo"), Some("at")),
      Bucketing.BasePath,
      Bucketing.Expression("a || b"),
      Bucketing.FromColumn("a b"),
      Bucketing.PartitionColumns(Seq("a,b", "c")),
      Bucketing.UserAssigner("stoplog.options.OneBucket")
    )
    for (b <- bucketings) assert(SinkOptions.parse(json ++ BucketOptions.toMap(b)).buckets.bucketing === b)
    for (s <- Seq(PartLayout.Staging("main"), PartLayout.InBucket("main", ".", ".a", "_", ".b")))
      assert(PartLayout.recorded("main", PartOptions.recorded(s)) === s)
    for (d <- Seq(Distribution.Unspecified, Distribution.ByBucket, Distribution.Writers(3)))
      assert(parse("distribution" -> Distribution.values.render(d)).parts.distribution === d)
    for (f <- Seq(FormatChoice.Rows("csv"), FormatChoice.UserEncoder("stoplog.options.NoEncoder")))
      assert(SinkOptions.parse(Map("path" -> "p") ++ f.toMap).output.format === f)
    val policies = Seq[RollingPolicy](
      DefaultRollingPolicy(),
      DefaultRollingPolicy()
        .withMaxPartSizeBytes(12345)
        .withMaxRecordsPerPart(9)
        .withRolloverIntervalMillis(1001),
      OnCheckpointRollingPolicy(),
      OnCheckpointRollingPolicy().withMaxPartSizeBytes(1 << 20).withMaxRecordsPerPart(3)
    )
    for (p <- policies) assert(SinkOptions.parse(json ++ RollingOptions.toMap(p)).rolling.policy === p)
    val own = SinkOptions.parse(json ++ RollingOptions.toMap(new AtMidnight)).rolling.policy
    assert(own.isInstanceOf[AtMidnight])
    assert(RollingOptions.noted(new AtMidnight) === Map("rollingPolicy" -> classOf[AtMidnight].getName))
    for (p <- policies) assert(RollingOptions.noted(p) === RollingOptions.toMap(p))
  }

  test("options survive serialization to tasks") {
    val o     = parse("maxPartSize" -> "1m", "dateFormat" -> "yyyy", "partitionBy" -> "a,b")
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(o)
    val back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assert(back === o)
    assert(back.asInstanceOf[SinkOptions].rolling.policy === o.rolling.policy)
  }
}
