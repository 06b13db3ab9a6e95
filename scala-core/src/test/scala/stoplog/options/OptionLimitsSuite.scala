// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{Instant, ZoneId}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.LineFiles
import stoplog.source.file.ReadyMarker
import stoplog.source.file.Monitoring.OnMergedPart
import stoplog.source.format.MeasurementFormat

/** Options at their limits, and one off them. */
class OptionLimitsSuite extends AnyFunSuite {
  private val base = Map("path" -> "/p", "format" -> "text")

  private def sink(options: (String, String)*): SinkOptions = SinkOptions.parse(base ++ options)

  private def refusal(read: => Any): String = intercept[StoplogArgumentException](read).getMessage

  test("accepts values at the limit and rejects values beyond by option name") {
    val long  = "x" * 48
    val cases = Seq(
      (
        "partPrefix",
        Seq("", long, "a_b", "ü" * 24),
        Seq(long + "x", "_a", ".a", "a/b", "a:b", "a\\b", "a\nb")
      ),
      ("partSuffix", Seq("", long, ".txt"), Seq(long + "x", "/", "a:")),
      ("maxOpenParts", Seq("1", s"${Int.MaxValue}"), Seq("0", "-1", "1.5", s"${Int.MaxValue + 1L}")),
      ("distribution", Seq("NONE", "byBucket", "1"), Seq("0", "-1", "some")),
      ("sinkId", Seq("a", "9" * 64, "a._-"), Seq("9" * 65, "_a", "-a", "a b", "replace")),
      ("rolloverInterval", Seq("1ms", "none", "NONE"), Seq("0ms", "never")),
      ("inactivityInterval", Seq("1ms", "none"), Seq("0ms", "never")),
      ("eventTimeInterval", Seq("1ms", "none"), Seq("0ms", "never")),
      ("bucketCheckInterval", Seq("1ms"), Seq("0ms", "1")),
      ("maxRecordsPerPart", Seq("1", "none"), Seq("0", "many"))
    )
    for ((key, taken, refused) <- cases) {
      for (value <- taken) assert(sink(key -> value).toMap.getOrElse(key, "") === value, key)
      for (value <- refused) assert(refusal(sink(key -> value)).contains(key), s"$key = $value")
    }
  }

  test("compaction derives sizes from part sizes, and small is a quarter of large") {
    val on                                 = "compaction" -> "smallParts"
    def policy(options: (String, String)*) = sink(on +: options: _*).parts.compaction.map(_.policy).get
    assert((policy().targetBytes, policy().smallerThanBytes) === ((128L << 20, 32L << 20)))
    assert(policy("maxPartSize" -> "10m").targetBytes === 10L << 20)
    assert(policy("rollingPolicy" -> "onCheckpoint").targetBytes === 128L << 20)
    assert(policy("rollingPolicy" -> "onCheckpoint", "maxPartSize" -> "6m").targetBytes === 6L << 20)
    assert(sink("compaction" -> "2").parts.compaction.map(_.policy.smallerThanBytes) === Some(1))
    assert((policy().afterEpochs, policy().minFiles) === ((100, 2)))
    assert(refusal(sink("compactAfterEpochs" -> "1")).contains("compactAfterEpochs has no effect"))
    assert(refusal(sink("compactTo" -> "1m")).contains("use compaction with a size"))
    assert(refusal(sink("compaction" -> "some")).contains("nor a size such as 256m"))
  }

  test("rejects a custom class of the wrong type for its option") {
    assert(refusal(sink("announce.a" -> "java.lang.String")).contains("announce.a"))
  }

  test("conflicting bucket options are reported without their dependent options") {
    val said = refusal(sink("bucketBy" -> "a", "partitionBy" -> "b", "bucketFormat" -> "yyyy"))
    assert(said.contains("exclude each other") && !said.contains("no effect"))
    assert(refusal(sink("bucketBy" -> "a", "bucketFormat" -> "yyyy")).contains("no effect with bucketBy"))
  }

  test("the batch command has separate defaults and few options") {
    def read(options: (String, String)*) = DirectoryOptions.parse("/p", options.toMap)
    val default                          = read()
    assert((default.path, default.format, default.compactor) === (("/p", None, None)))
    assert(default.beginning === LineFiles.Beginning.Row)
    assert((default.policy.targetBytes, default.policy.smallerThanBytes) === ((128L << 20, 64L << 20)))
    assert((default.policy.afterEpochs, default.policy.minFiles) === ((1, 2)))
    assert(read("compactTo" -> "1").policy.smallerThanBytes === 1)
    assert(read("compactTo" -> "100", "compactSmallerThan" -> "50").policy.smallerThanBytes === 50)
    for (files <- Seq(2, 256)) assert(read("compactMinFiles" -> s"$files").policy.minFiles === files)
    for (files <- Seq(1, 257))
      assert(refusal(read("compactMinFiles" -> s"$files")).contains("from 2 to 256"))
    for (word <- Seq("true", " TRUE "))
      assert(read("Header" -> word).beginning === LineFiles.Beginning.Header)
    assert((default.lineSep, read("lineSep" -> "\u0001").lineSep) === (("\n", "\u0001")))
    assert(read("header" -> "false").beginning === LineFiles.Beginning.Row)
    assert(refusal(read("header" -> "yes")).contains("neither true nor false"))
    assert(refusal(read("sinkId" -> "a")).contains("sinkId is not an option of this command"))
    assert(read("FORMAT" -> "CSV").format === Some("csv"))
    assert(refusal(read("format" -> "xml")).contains("format"))
  }

  test("tail accepts only line formats with known line ends and explains other rejections") {
    def tail(options: (String, String)*) =
      SourceOptions.parse((base ++ options + ("onChangedFile" -> "tail")).asJava)
    def isRefused(why: String)(options: (String, String)*): Unit = {
      val said = refusal(tail(options: _*))
      assert(said.contains(s"onChangedFile = 'tail' and $why") && said.contains("ignore or reread"), said)
    }
    for {
      format  <- Seq("text", "json", "csv")
      charset <- Seq("utf-8", "UTF8")
    }
      tail("format" -> format, "charset" -> charset)
    tail("lineSep" -> "\r\n")
    tail("format"  -> "json", "multiLine" -> "false")
    val own = classOf[MeasurementFormat].getName
    for (format <- Seq("parquet", "orc", "avro", "binaryFile", "lengthDelimited", own))
      isRefused(s"format = '$format' exclude each other")("format" -> format)
    for (format <- Seq("json", "csv"))
      isRefused("multiLine = 'true' exclude each other")("format" -> format, "multiLine" -> "TRUE")
    for (charset <- Seq("ISO-8859-1", "UTF-16", "US-ASCII"))
      isRefused(s"charset = '$charset' exclude each other")("charset" -> charset)
    for (lineSep <- Seq("\n\n", "||")) isRefused("this lineSep exclude each other")("lineSep" -> lineSep)
  }

  test("a ready marker is a file per directory or per data file") {
    def marker(text: String): Either[Unit, Option[ReadyMarker]] = {
      val reader = new OptionReader(Seq("readyMarker" -> text), SourceOptionRegistry.all)
      val read   = FileOptions.readiness(reader).marker
      scala.util.Try(reader.errors.throwIfAny()).toEither.left.map(_ => ()).map(_ => read)
    }
    assert(marker(" _SUCCESS ") === Right(Some(ReadyMarker.InDirectory("_SUCCESS"))))
    assert(marker("{name}.done") === Right(Some(ReadyMarker.PerFile("", ".done"))))
    assert(marker("x{name}") === Right(Some(ReadyMarker.PerFile("x", ""))))
    assert(marker("a{name}b") === Right(Some(ReadyMarker.PerFile("a", "b"))))
    for (text <- Seq("a/b", "{name}", "{name}{name}", "a{name}b{name}")) assert(marker(text).isLeft, text)
  }

  test("dates are days or times in the configured zone or in their own zone") {
    def from(text: String, zone: String = "Europe/Berlin"): Option[Instant] = {
      val options = Seq("datePattern" -> "yyyy-MM-dd", "dateRange" -> s"$text/", "timeZone" -> zone)
      val reader  = new OptionReader(options, SourceOptionRegistry.all)
      val range   = FileOptions.dates(reader)
      reader.errors.throwIfAny()
      range.flatMap(_.from)
    }
    assert(from("2026-01-31") === Some(Instant.parse("2026-01-30T23:00:00Z")))
    assert(from("2026-01-31", "UTC") === Some(Instant.parse("2026-01-31T00:00:00Z")))
    assert(from("2026-01-31T12:00") === Some(Instant.parse("2026-01-31T11:00:00Z")))
    assert(from("2026-01-31 12:00") === from("2026-01-31T12:00"))
    assert(from("2026-01-31T12:00:00+05:00") === Some(Instant.parse("2026-01-31T07:00:00Z")))
    assert(refusal(from("tomorrow")).contains("dateRange = 'tomorrow/' is not a date"))
    assert(refusal(from("2026-01-31", "Mars")).contains("timeZone"))
  }

  test("datePattern requires dateRange, and dateRange requires datePattern") {
    def problem(options: (String, String)*): String = {
      val reader = new OptionReader(options, SourceOptionRegistry.all)
      FileOptions.dates(reader)
      scala.util.Try(reader.errors.throwIfAny()).fold(_.getMessage, _ => "")
    }
    val pattern = "datePattern" -> "yyyy"
    assert(problem(pattern).contains("no effect without dateRange"))
    for (range <- Seq("2026-01-01/", "/2026-01-01", "2026-01-01/2026-02-01", "1d", "2026-01-01/, 1d")) {
      assert(problem(pattern, "dateRange" -> range) === "")
      assert(problem("dateRange" -> range).contains("dateRange has no effect unless datePattern is set"))
    }
    for (range <- Seq("2026-01-01", "/", "1d, 2d", "a/b/c", "2026-01-01/soon"))
      assert(problem(pattern, "dateRange" -> range).contains("dateRange"), range)
    assert(problem() === "")
  }

  test("onMergedPart parses fail, read and skip") {
    def read(options: (String, String)*) =
      new OptionReader(options, SourceOptionRegistry.all)(FollowOptions.OnMergedPart)
    assert(read() === OnMergedPart.Fail)
    val words = Seq("fail" -> OnMergedPart.Fail, "READ" -> OnMergedPart.Read, "skip" -> OnMergedPart.Skip)
    for ((word, choice) <- words) assert(read("onMergedPart" -> word) === choice)
  }

  test("the options of overwrites are parsed, and the mode is one of two words") {
    val overwrite = sink("partitionOverwriteMode" -> "DYNAMIC", "replaceWhere" -> "day = 1").buckets.overwrite
    assert(overwrite === OverwriteOptions(Some(OverwriteMode.Dynamic), Some("day = 1")))
    assert(sink().buckets.overwrite === OverwriteOptions(None, None))
    assert(refusal(sink("partitionOverwriteMode" -> "some")).contains("static, dynamic"))
  }

  test("an empty option of overwrites is rejected, and does not select all files") {
    for {
      key   <- Seq("partitionOverwriteMode", "replaceWhere")
      empty <- Seq("", " ")
    }
      assert(refusal(sink(key -> empty)).contains(s"$key is empty"), key)
  }

  test("compaction of a custom encoder requires a custom compactor") {
    val own = Map("path" -> "/p", "format" -> classOf[NoEncoder].getName, "compaction" -> "smallParts")
    assert(refusal(SinkOptions.parse(own)).contains("needs a compactor"))
    assert(
      SinkOptions.parse(own + ("compactor" -> "a.B")).parts.compaction.flatMap(_.compactor) === Some("a.B")
    )
    assert(sink("compaction" -> "smallParts").parts.compaction.flatMap(_.compactor) === None)
  }

  test("time zones accept names, offsets and short names") {
    for (
      (text, zone) <- Seq(" Europe/Berlin " -> "Europe/Berlin", "+02:00" -> "+02:00", "ECT" -> "Europe/Paris")
    )
      assert(BucketOptions.TimeZone.values.parse(text) === Right(ZoneId.of(zone)))
    assert(BucketOptions.TimeZone.values.parse("Mars").isLeft)
  }
}
