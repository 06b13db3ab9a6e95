// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.nio.file.Files

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

import stoplog.announce._
import stoplog.format.SparkSessionForTests
import stoplog.laws.{TableTargetLaws, TableUnderTest}

class DeltaTargetSuite extends TableTargetLaws with SparkSessionForTests {

  override protected def newTable(): TableFixture = world

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
  }

  private def world = new TableFixture(spark)

  private def numbers(from: Long, to: Long): DataFrame =
    spark.range(from, to).withColumn("name", concat(lit("n"), col("id")))

  private def statistics(table: TableFixture, file: AnnouncedFile): JsonNode =
    json(table.table(file.path).get("stats").asText)

  test("adds the files of one call in one version, with position and statistics") {
    val table  = world
    val target = table.target()
    assert(table.position(target) === None)
    val (one, two) = (table.written(numbers(0, 3)), table.written(numbers(3, 9)))
    table.delivered(target, table.added(4, one), table.added(5, two))
    assert(table.ids === (0L until 9))
    assert(table.position(target) === Some(5L -> 0))
    assert(table.versions.size === 1)
    val add = table.table(one.path)
    assert(add.get("size").asLong === one.bytes)
    assert(add.get("dataChange").asBoolean)
    assert(
      add.get("modificationTime").asLong === Files.getLastModifiedTime(table.sink.resolve(one.path)).toMillis
    )
    assert(
      statistics(table, two).toString ===
        """{"numRecords":6,"minValues":{"id":3,"name":"n3"},"maxValues":{"id":8,"name":"n8"},"nullCount":{"id":0,"name":0}}"""
    )
    val position = table.actions("txn").head
    assert(position.get("appId").asText === s"stoplog/lake/events/${TableUnderTest.Log.identity}")
  }

  test("the position has the number in the record, survives checkpoints and ignores other logs") {
    val table  = world
    val target = table.target()
    for (i <- 0 to 11) table.delivered(target, table.added(i.toLong, table.written(numbers(i, i + 1))))
    table.delivered(target, table.announced(11, Change.PartitionComplete("", 1), number = 3))
    assert(Files.exists(table.log.resolve("_last_checkpoint")))
    for (version <- 0 to 9) Files.delete(table.log.resolve(f"$version%020d.json"))
    assert(table.position(target) === Some(11L -> 3))
    val other = LogId("event", "a4d8f7a2-0000-4000-8000-000000000000")
    assert(target.position(table.sink.toString, other.name) === None)
    val file = Change.Added("", Vector(table.written(numbers(50, 51))))
    table.delivered(target, table.announced(0, file, log = other))
    assert(target.position(table.sink.toString, other.name).map(_.log) === Some(other))
    assert(table.position(target) === Some(11L -> 3))
  }

  test(
    "a restored table has its position again after a restore to the newer version, and not to the restored one"
  ) {
    def restore(version: Int) =
      s"""{"commitInfo":{"timestamp":1,"operation":"RESTORE","operationParameters":{"version":$version,"timestamp":null}}}"""
    val table  = world
    val target = table.target()
    (0 to 1).foreach(i => table.delivered(target, table.added(i.toLong, table.written(numbers(i, i + 1)))))
    for ((to, kept) <- Seq(0 -> None, 2 -> None, 1 -> Some(1L -> 0))) {
      table.commitOther(restore(to))
      assert(table.position(target) === kept)
    }
  }

  test("a compaction changes no data, an overwrite and a removal do") {
    val table  = world
    val target = table.target()
    val small  = (0 until 4).map(i => table.written(numbers(i, i + 1)))
    table.delivered(target, table.added(0, small: _*))
    val large = table.written(numbers(0, 3))
    table.delivered(
      target,
      table.announced(1, Change.Replaced("", Vector(large), small.take(3).map(_.path).toVector))
    )
    assert(table.ids === Seq(0L, 1L, 2L, 3L))
    assert(
      table.versions.last.filter(each => each.has("add") || each.has("remove")).map(dataChange) === Vector
        .fill(4)(false)
    )
    val other     = table.written(numbers(7, 8))
    val replacing = LogId("replace", "0e2a7c1c-0000-4000-8000-000000000000")
    table.delivered(
      target,
      table.announced(0, Change.Replaced("", Vector(other), Vector(large.path)), log = replacing)
    )
    assert(table.ids === Seq(3L, 7L))
    assert(
      table.versions.last.filter(each => each.has("add") || each.has("remove")).map(dataChange) === Vector(
        true,
        true
      )
    )
    table.delivered(target, table.announced(2, Change.Removed("", Vector(other.path))))
    assert(table.ids === Seq(3L))
    assert(table.versions.size === 4)
    assert(target.position(table.sink.toString, "replace").map(_.sequence) === Some(0L))
    assert(table.position(target) === Some(2L -> 0))
  }

  test("partitions have the values of directories") {
    val table   = world
    val target  = table.target("partition" -> "country, n:integer, day:date", "derivedKeys" -> "dt")
    val buckets = Seq(
      "country=NO/n=1/day=2026-01-31/dt=x",
      "country=S%2FE/n=2/day=2026-01-31",
      "country=__HIVE_DEFAULT_PARTITION__/n=__HIVE_DEFAULT_PARTITION__/day=2026-01-31"
    )
    val files = buckets.zipWithIndex.map { case (bucket, i) => table.written(numbers(i, i + 1), bucket) }
    files.zipWithIndex.foreach { case (file, i) => table.delivered(target, table.added(i.toLong, file)) }
    assert(
      table.actions("add").map(_.get("partitionValues")).toSet === Set(
        json("""{"country":"NO","n":"1","day":"2026-01-31"}"""),
        json("""{"country":"S/E","n":"2","day":"2026-01-31"}"""),
        json("""{"country":null,"n":null,"day":"2026-01-31"}""")
      )
    )
    assert(table.ids === Seq(0L, 1L, 2L))
    assert(table.actions("metaData").head.get("partitionColumns").toString === """["country","n","day"]""")
    def reason(bucket: String, rows: DataFrame = numbers(9, 10)) =
      table.refused(target, table.added(9, table.written(rows, bucket)))
    assert(reason("country=NO/n=1").contains("no value for the partition columns day"))
    assert(reason("country=NO/n=a/day=2026-01-31").contains("has no integer for the column n"))
    assert(
      reason("country=NO/n=1/day=2026-01-31/hour=3").contains("the values of hour are only in the directory")
    )
    assert(
      reason("country=NO/n=1/day=2026-01-31", numbers(9, 10).withColumn("n", lit(1)))
        .contains("the columns n are in the files and in the directory")
    )
    assert(
      table
        .refused(table.target("partition" -> "country"), table.added(9, files.head))
        .contains("requires [country]")
    )
  }

  test("a restore before a checkpoint is known") {
    val table   = world
    val running = table.target()
    (0 to 1).foreach(i => table.delivered(running, table.added(i.toLong, table.written(numbers(i, i + 1)))))
    table.restore()
    table.checkpoint() // as Delta Lake for Spark does in each tenth version
    for (target <- Seq(running, table.target())) assert(table.position(target) === None)
    val kept = world
    (0 to 1).foreach(i =>
      kept.delivered(kept.target(), kept.added(i.toLong, kept.written(numbers(i, i + 1))))
    )
    kept.checkpoint()
    assert(kept.position(kept.target()) === Some(1L -> 0))
  }

  test("rejects new columns, or adds the columns with the file") {
    val table = world
    table.delivered(table.target(), table.added(0, table.written(numbers(0, 1))))
    val wider = table.added(
      1,
      table.written(numbers(1, 2).withColumn("more", lit(7)).withColumn("deep", struct(lit(1).as("x"))))
    )
    assert(table.refused(table.target(), wider).contains("the table lacks the columns deep, more"))
    val adding = table.target("newColumns" -> "add")
    table.delivered(adding, wider)
    table.delivered(adding, table.added(2, table.written(numbers(2, 3))))
    assert(table.ids === Seq(0L, 1L, 2L))
    assert(table.actions("metaData").size === 2)
    assert(table.actions("metaData").last.get("schemaString").asText.contains("\"more\""))
    def reason(rows: DataFrame) = table.refused(adding, table.added(3, table.written(rows)))
    assert(reason(numbers(3, 4).withColumnRenamed("name", "Name")).contains("does not distinguish both"))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try {
      val both = numbers(3, 4).withColumn("other", lit(1)).withColumn("Other", lit(2))
      assert(reason(both).contains("does not distinguish both"))
    } finally spark.conf.unset("spark.sql.caseSensitive")
    assert(
      reason(numbers(3, 4).withColumn("at", expr("timestamp_ntz'2026-01-31 10:00:00'")))
        .contains("timestampNtz")
    )
    assert(
      reason(numbers(3, 4).withColumn("id", col("id").cast("int")))
        .contains("has the type integer, and the table has")
    )
  }

  test("all types have their statistics, exact or as wider bounds") {
    val table = world
    val rows  = spark.sql(
      """select 1L as id, named_struct('a', 1, 'b', array('x')) as s, map('k', 2) as m, cast(-1.25 as decimal(10, 2)) as d,
        |cast(7.5 as decimal(30, 1)) as wide, date'2026-01-31' as day, true as yes, 1.5D as x, double('NaN') as nan,
        |binary('ab') as bytes, timestamp'2026-01-31 10:00:00.123456Z' as at, timestamp_ntz'2026-01-31 10:00:00.5' as local,
        |repeat('é', 40) as long, cast(null as string) as none, cast(3 as byte) as tiny, cast(4 as short) as small""".stripMargin
    )
    val file = table.written(rows)
    table.delivered(table.target(), table.added(0, file))
    val found             = statistics(table, file)
    val (min, max, nulls) = (found.get("minValues"), found.get("maxValues"), found.get("nullCount"))
    assert(min.get("s").toString === """{"a":1}""")
    assert(min.get("d").toString === "-1.25" && max.get("wide").toString === "7.5")
    assert(min.get("day").asText === "2026-01-31" && max.get("x").asDouble === 1.5)
    assert(
      min.get("at").asText === "2026-01-31T10:00:00.123Z" && max
        .get("at")
        .asText === "2026-01-31T10:00:00.124Z"
    )
    assert(min.get("local").asText.startsWith("2026-01-31T10:00:00.5"))
    assert(min.get("long").asText === "é" * 32)
    assert(max.get("long").asText === "é" * 32 + Character.toString(Character.MAX_CODE_POINT))
    assert(min.get("tiny").asInt === 3 && max.get("small").asInt === 4)
    assert(Seq("nan", "bytes", "none", "yes", "m").filter(min.has) === Nil)
    assert(nulls.get("none").asInt === 1 && nulls.get("yes").asInt === 0)
    assert(table.actions("protocol").head.toString.contains("timestampNtz"))
  }

  test("rejects other formats and types by name") {
    val table  = world
    val target = table.target()
    val lines  = table.added(0, table.written(numbers(0, 1), format = "json"))
    assert(table.refused(target, lines).contains("Set format to parquet"))
    val spaced = table.added(0, table.written(numbers(0, 1).withColumnRenamed("name", "a name")))
    assert(table.refused(target, spaced).contains("Delta cannot create the table"))
    assert(table.refused(table.target("create" -> ""), spaced).contains("not a Delta table"))
    assert(!Files.exists(table.log.resolve("00000000000000000000.json")))
  }

  test("rejects features and properties that the files would not keep") {
    val table  = world
    val target = table.target()
    val first  = table.written(numbers(0, 1))
    table.delivered(target, table.added(0, first))
    val next = table.added(1, table.written(numbers(1, 2)))

    def having(configuration: String, features: String)(check: => Unit): Unit = {
      val schema =
        new ObjectMapper().writeValueAsString(table.actions("metaData").head.get("schemaString").asText)
      table.commitOther(
        s"""{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[],"writerFeatures":[$features]}}""",
        s"""{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":$schema,"partitionColumns":[],
           |"configuration":{$configuration},"createdTime":1}}""".stripMargin.replace("\n", "")
      )
      check
    }
    for (
      feature <- Seq("rowTracking", "icebergCompatV2", "clustering", "allowColumnDefaults",
        "generatedColumns2")
    )
      having("", s""""$feature","domainMetadata"""")(
        assert(table.refused(target, next).contains(feature), feature)
      )
    having(""""delta.constraints.c":"id > 0"""", "\"checkConstraints\"")(
      assert(table.refused(target, next).contains("checkConstraints"))
    )
    having(""""delta.setTransactionRetentionDuration":"interval 1 days"""", "")(
      assert(table.refused(target, next).contains("delta.setTransactionRetentionDuration"))
    )
    having(""""delta.appendOnly":"true"""", "\"appendOnly\"") {
      table.delivered(target, next)
      val removal = table.announced(2, Change.Removed("", Vector(first.path)))
      assert(table.refused(target, removal).contains("delta.appendOnly = true forbids the removal"))
    }
    assert(table.ids === Seq(0L, 1L))
  }

  test("files of another writer stay in the table") {
    val table  = world
    val target = table.target()
    val ours   = Seq(table.written(numbers(0, 1)), table.written(numbers(1, 2)))
    table.delivered(target, table.added(0, ours: _*))
    val other = table.written(numbers(5, 6))
    table.commitOther(
      s"""{"add":{"path":"${other.path}","partitionValues":{},"size":${other.bytes},"modificationTime":1,"dataChange":true}}"""
    )
    table.delivered(target, table.announced(1, Change.Removed("", Vector(ours.head.path))))
    assert(table.ids === Seq(1L, 5L))
  }

  test("returns escaped paths, files outside of the directory, and the beginning of a shortened history") {
    val table  = world
    val target = table.target("derivedKeys" -> "k")
    val spaced = table.written(numbers(0, 1), "k=a b%25")
    table.delivered(target, table.added(0, spaced))
    table.commitOther(
      """{"add":{"path":"s3://other/part.parquet","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}"""
    )
    assert((table.content.files, table.content.elsewhere) === ((Vector(spaced.path), 1)))
    for (i <- 1 to 11) table.delivered(target, table.added(i.toLong, table.written(numbers(i, i + 1), "k=b")))
    assert(table.content.sinceMillis === None)
    for (version <- 0 to 3) Files.delete(table.log.resolve(f"$version%020d.json"))
    val since = table.versions.head.find(_.has("commitInfo")).get.get("commitInfo").get("timestamp").asLong
    assert(table.content.sinceMillis === Some(since))
    assert(table.content.files.size === 12)
  }

  test("refuses files with a colon in the first name, by their paths, and accepts the other files") {
    val table   = world
    val target  = table.target("derivedKeys" -> "h,k")
    val colons  = Seq("10:30", "h=10:30/k=b", "t10:30").map(table.written(numbers(0, 1), _))
    val refusal = table.refusal(target, table.added(0, colons.head), table.added(1, colons(1), colons(2)))
    assert(refusal.files === colons.map(_.path).toSet)
    assert(refusal.reason.contains(s"${colons.head.path} and 2 other") && refusal.reason.contains("colon"))
    assert(table.position(target) === None)
    val deeper = table.written(numbers(1, 2), "k=b/10:30")
    table.delivered(target, table.added(0, deeper))
    assert(table.refusal(target, table.added(1, colons(1))).files === Set(colons(1).path))
    assert((table.content.files, table.content.elsewhere) === ((Vector(deeper.path), 0)))
  }

  private def json(text: String): JsonNode = new ObjectMapper().readTree(text)

  private def dataChange(action: JsonNode): Boolean =
    Seq("add", "remove").flatMap(kind => Option(action.get(kind))).head.get("dataChange").asBoolean
}
