// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{DataFile, DataFiles, DataOperations, FileFormat}
import org.apache.iceberg.expressions.Expressions
import org.apache.iceberg.mapping.{MappingUtil, NameMappingParser}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

import stoplog.announce._
import stoplog.format.SparkSessionForTests
import stoplog.laws.{TableTargetLaws, TableUnderTest}

/** Iceberg's reader of ORC files does not run with Spark's ORC: the tests of ORC compare the metadata. */
class IcebergTargetSuite extends TableTargetLaws with SparkSessionForTests {

  override protected def newTable(): TableFixture = TableFixture.hadoop(spark)

  override protected def formats: Seq[String] = Seq("parquet", "orc")

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
  }

  private def numbers(from: Long, to: Long): DataFrame =
    spark.range(from, to).withColumn("name", concat(lit("n"), col("id")))

  private def eventsOn(day: String, rows: Int): DataFrame =
    spark.range(rows).withColumn("ts", expr(s"timestamp'$day 10:00:00Z' + make_interval(0,0,0,0,0,0,id)"))

  for (format <- Seq("parquet", "orc"))
    test(s"adds the $format files of one call in one snapshot, with position and statistics") {
      val world  = TableFixture.hadoop(spark)
      val target = world.target()
      assert(world.position(target) === None)
      val (one, two) =
        (world.written(numbers(0, 3), format = format), world.written(numbers(3, 9), format = format))
      world.delivered(target, world.added(4, one), world.added(5, two))
      if (format == "parquet") assert(world.ids === (0L until 9))
      if (format == "parquet")
        assert(world.rows("name").map(_.head).toSet === (0 until 9).map(i => s"n$i").toSet)
      assert(world.position(target) === Some(5L -> 0))
      val snapshots = world.table.snapshots.asScala.toVector
      assert(snapshots.map(_.operation) === Vector(DataOperations.APPEND))
      assert(
        snapshots.head.summary.asScala.toMap.view.filterKeys(_.startsWith("stoplog.")).toMap ===
          Map(
            "stoplog.log"      -> "events",
            "stoplog.identity" -> TableUnderTest.Log.identity,
            "stoplog.sequence" -> "5",
            "stoplog.number"   -> "0"
          )
      )
      val file = dataFiles(world).find(_.location.endsWith(one.path)).get
      assert(file.format === FileFormat.fromString(format))
      assert(file.recordCount === 3)
      assert(world.table.properties.get("schema.name-mapping.default").contains("\"name\""))
      assert(file.fileSizeInBytes === one.bytes)
      assert(!file.splitOffsets.isEmpty)
      assert(file.lowerBounds.size === 2)
      assert(file.nullValueCounts.asScala.values.map(_.toLong).toSet === Set(0L))
    }

  test("column statistics skip files") {
    for (format <- Seq("parquet", "orc")) {
      val world = TableFixture.hadoop(spark)
      val files = Seq(numbers(0, 3), numbers(3, 9)).map(world.written(_, format = format))
      world.delivered(world.target(), world.added(0, files: _*))
      val tasks = world.table.newScan().filter(Expressions.equal("id", 7L)).planFiles()
      assert(tasks.asScala.map(_.file.location).toVector.map(_.endsWith(files(1).path)) === Vector(true))
    }
  }

  test("a path with a link is the same path: the position is found, and no file is added twice") {
    val world      = TableFixture.hadoop(spark)
    val link       = Files.createSymbolicLink(world.sink.resolveSibling("link"), world.sink).toString
    val (one, two) = (world.written(0 until 3), world.written(3 until 9))
    world.delivered(
      world.target(),
      world.added(0, one).copy(path = link),
      world.added(1, two).copy(path = link)
    )
    assert(world.position(world.target()) === Some(1L -> 0))
    assert(world.content.files.toSet === Set(one.path, two.path))
    assert(world.content.elsewhere === 0)
    val all = world.written(0 until 9)
    world.delivered(
      world.target(),
      world.announced(2, Change.Replaced("", Vector(all), Vector(one.path, two.path)))
    )
    world.delivered(world.target(), world.announced(3, Change.Snapshot("", Vector(all))).copy(path = link))
    assert(world.ids === (0L until 9))
  }

  test("a completed partition without files makes no snapshot") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    world.delivered(target, world.announced(1, Change.PartitionComplete("", 1)))
    assert(world.table.snapshots.asScala.size === 1)
    assert(world.position(target) === Some(1L -> 0))
    world.delivered(
      target,
      world.added(2, world.written(numbers(1, 2))),
      world.announced(2, Change.PartitionComplete("", 2), 1)
    )
    assert(world.position(target) === Some(2L -> 1))
  }

  test("the position survives the expiration of snapshots") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    world.table.newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit()
    world.table.expireSnapshots().expireOlderThan(Long.MaxValue).commit()
    assert(world.position(target) === Some(0L -> 0))
  }

  test("a compaction is one rewrite, an overwrite and a removal are one overwrite") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    val small  = (0 until 4).map(i => world.written(numbers(i, i + 1)))
    world.delivered(target, world.added(0, small: _*))
    val large = world.written(numbers(0, 3))
    world.delivered(
      target,
      world.announced(1, Change.Replaced("", Vector(large), small.take(3).map(_.path).toVector))
    )
    assert(world.ids === Seq(0L, 1L, 2L, 3L))
    val other     = world.written(numbers(7, 8))
    val replacing = LogId("replace", "0e2a7c1c-0000-4000-8000-000000000000")
    world.delivered(
      target,
      world.announced(0, Change.Replaced("", Vector(other), Vector(large.path)), log = replacing)
    )
    assert(world.ids === Seq(3L, 7L))
    world.delivered(target, world.announced(2, Change.Removed("", Vector(other.path))))
    assert(world.ids === Seq(3L))
    assert(
      world.table.snapshots.asScala.map(_.operation).toSeq === Seq("append", "replace", "overwrite", "delete")
    )
    assert(target.position(world.sink.toString, "replace").map(_.sequence) === Some(0L))
    assert(world.position(target) === Some(2L -> 0))
  }

  test("a snapshot adds the files absent from the table") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    val files  = (0 until 3).map(i => world.written(numbers(i, i + 1)))
    world.delivered(target, world.added(0, files(1)))
    val other    = LogId("other", "a4d8f7a2-0000-4000-8000-000000000000")
    val snapshot = Change.Snapshot("", files.map(_.copy(rows = None)).toVector)
    world.delivered(target, world.announced(0, snapshot, log = other))
    assert(world.ids === Seq(0L, 1L, 2L))
  }

  test("partitions have the values of directories and of column bounds") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target("partition" -> "country, day(ts)", "derivedKeys" -> "dt")
    val files  = Seq("NO", "S%2FE").map(country =>
      world.written(eventsOn("2026-01-31", 2), s"country=$country/dt=2026-01-31")
    )
    files.zipWithIndex.foreach { case (file, i) => world.delivered(target, world.added(i.toLong, file)) }
    world.delivered(
      target,
      world.added(
        3,
        world.written(eventsOn("2026-02-01", 1), "country=__HIVE_DEFAULT_PARTITION__/dt=2026-02-01")
      )
    )
    assert(
      world.rows("country", "id").toSet === Set(
        Seq[Any]("NO", 0L),
        Seq[Any]("NO", 1L),
        Seq[Any]("S/E", 0L),
        Seq[Any]("S/E", 1L),
        Seq[Any](null, 0L)
      )
    )
    assert(
      dataFiles(world).map(_.partition.get(1, classOf[Integer]).intValue).sorted === Vector(
        20484,
        20484,
        20485
      )
    )
    val tasks = world.table.newScan().filter(Expressions.equal("country", "NO")).planFiles().asScala
    assert(tasks.map(_.file.location).toVector.map(_.endsWith(files.head.path)) === Vector(true))
  }

  test("a decimal of a directory gets the scale of its column, or is rejected") {
    val world                  = TableFixture.hadoop(spark)
    val target                 = world.target("partition" -> "price:decimal(5,2)")
    def priced(number: String) = world.written(numbers(0, 1), s"price=$number")
    world.delivered(target, world.added(0, priced("1.5")))
    world.delivered(target, world.added(1, priced("20")))
    assert(world.rows("price").map(_.head.toString).sorted === Seq("1.50", "20.00"))
    for (number <- Seq("1.505", "1000", "1e3"))
      assert(
        world.refused(target, world.added(2, priced(number))).contains("no decimal(5, 2) for the column")
      )
  }

  test("rejects a file of two partitions, and a directory value without a column") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target("partition" -> "day(ts)", "derivedKeys" -> "dt")
    val days   = eventsOn("2026-01-31", 1).union(eventsOn("2026-02-01", 1))
    assert(
      world
        .refused(target, world.added(0, world.written(days, "dt=2026-01-31")))
        .contains("not in one partition of day(ts)")
    )
    val reason = world.refused(target, world.added(0, world.written(eventsOn("2026-01-31", 1), "country=NO")))
    assert(reason.contains("the values of country are only in the directory country=NO"))
  }

  test("rejects new columns, or adds the columns with the file") {
    val world = TableFixture.hadoop(spark)
    world.delivered(world.target(), world.added(0, world.written(numbers(0, 1))))
    val wider = world.added(
      1,
      world.written(numbers(1, 2).withColumn("more", lit(7)).withColumn("deep", struct(lit(1).as("x"))))
    )
    assert(world.refused(world.target(), wider).contains("the table lacks the columns deep, deep.x, more"))
    world.delivered(world.target("newColumns" -> "add"), wider)
    assert(world.rows("id", "more").toSet === Set(Seq[Any](0L, null), Seq[Any](1L, 7)))
  }

  test("rejects columns that differ by case only, which Spark could not read") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target("newColumns" -> "add")
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    val other = numbers(1, 2).withColumnRenamed("name", "Name")
    val deep  = numbers(1, 2).withColumn("deep", struct(lit(1).as("x")))
    assert(world.refused(target, world.added(1, world.written(other))).contains("differs by case only"))
    world.delivered(target, world.added(1, world.written(deep)))
    val nested = numbers(2, 3).withColumn("deep", struct(lit(1).as("X")))
    assert(world.refused(target, world.added(2, world.written(nested))).contains("deep.X"))
  }

  test("finds the files of a former run with another spelling of the path") {
    val world = TableFixture.hadoop(spark)
    val small = (0 until 2).map(i => world.written(numbers(i, i + 1)))
    val other = "location" -> s"file://${world.sink}"
    world.delivered(world.target(), world.added(0, small: _*))
    val large = world.written(numbers(0, 2))
    world.delivered(
      world.target(other),
      world.announced(1, Change.Replaced("", Vector(large), small.map(_.path).toVector))
    )
    assert(world.files === Set(large.path))
    world.delivered(world.target(), world.announced(2, Change.Removed("", Vector(large.path))))
    assert(world.ids === Nil)
  }

  test("a table that was replaced by other rows has no position, and receives no later files") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    val file        = dataFiles(world).head
    val transaction =
      world.catalog.newReplaceTableTransaction(world.name, world.table.schema, world.table.spec, false)
    transaction.newAppend().appendFile(file).commit()
    transaction.commitTransaction()
    assert(world.position(world.target()) === None)
    val next = world.added(1, world.written(numbers(1, 2)))
    assert(intercept[IllegalStateException](target.deliver(Vector(next))).getMessage.contains("restored"))
  }

  test("rejects a column without a name in the name mapping: readers would return nulls") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    val mapping = NameMappingParser.toJson(MappingUtil.create(world.table.schema.select("id")))
    world.table.updateProperties().set("schema.name-mapping.default", mapping).commit()
    val reason = world.refused(target, world.added(1, world.written(numbers(1, 2))))
    assert(reason.contains("the name mapping of the table lacks the columns name of the file"))
  }

  test("rejects columns of another type, and accepts promotions") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    world.delivered(target, world.added(0, world.written(numbers(0, 1))))
    world.delivered(
      target,
      world.added(1, world.written(numbers(1, 2).withColumn("id", col("id").cast("int"))))
    )
    assert(world.ids === Seq(0L, 1L))
    val reason = world.refused(
      target,
      world.added(2, world.written(numbers(2, 3).withColumn("id", col("id").cast("string"))))
    )
    assert(reason.contains("do not match the table") && reason.contains("id"))
  }

  test("nested columns, decimals and dates of both formats return their values") {
    for (format <- Seq("parquet", "orc")) {
      val world = TableFixture.hadoop(spark)
      val rows  = spark.sql(
        """select 1L as id, named_struct('a', 1, 'b', array('x')) as s, map('k', 2) as m, cast(1.25 as decimal(10, 2)) as d,
          |date'2026-01-31' as day, true as yes, 1.5D as x, float(2.5) as y, binary('ab') as bytes""".stripMargin
      )
      world.delivered(world.target(), world.added(0, world.written(rows, format = format)))
      world.delivered(world.target(), world.added(1, world.written(rows, format = format)))
      if (format == "parquet")
        assert(
          world.rows("d", "day", "yes", "x", "y").distinct ===
            Vector(
              Seq[Any](
                new java.math.BigDecimal("1.25"),
                java.time.LocalDate.of(2026, 1, 31),
                true,
                1.5d,
                2.5f
              )
            )
        )
      val tasks = world.table
        .newScan()
        .filter(Expressions.greaterThan("d", new java.math.BigDecimal("1.25")))
        .planFiles()
      assert(tasks.asScala.isEmpty)
    }
  }

  test("rejects other formats and types by name") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    assert(
      world
        .refused(target, world.added(0, world.written(numbers(0, 1), format = "json")))
        .contains("Set format to parquet or orc")
    )
    val times = world.added(0, world.written(eventsOn("2026-01-31", 1), format = "orc"))
    assert(world.refused(target, times).contains("Iceberg has no type for the column ts"))
  }

  test("files of another writer stay in the table") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    val ours   = world.written(numbers(0, 1))
    world.delivered(target, world.added(0, ours))
    val foreign = dataFiles(world).head
    val file    = world.written(numbers(5, 6))
    world.table
      .newAppend()
      .appendFile(
        org.apache.iceberg.DataFiles
          .builder(world.table.spec)
          .copy(foreign)
          .withPath(world.sink.resolve(file.path).toUri.toString)
          .withFileSizeInBytes(file.bytes)
          .build()
      )
      .commit()
    world.delivered(target, world.announced(1, Change.Removed("", Vector(ours.path))))
    assert(world.ids === Seq(5L))
  }

  test("returns each file outside of the sink and each file that the table has twice") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    val files  = Seq(world.written(numbers(0, 1)), world.written(numbers(1, 2)))
    world.delivered(target, world.added(0, files: _*))
    val again     = dataFiles(world).head
    val elsewhere =
      DataFiles.builder(world.table.spec).copy(again).withPath("s3://other/part.parquet").build()
    val doubled = // by the address of another writer
      DataFiles
        .builder(world.table.spec)
        .copy(again)
        .withPath(again.location.replace("file:/", "file:///"))
        .build()
    world.table.newAppend().appendFile(elsewhere).appendFile(doubled).commit()
    val content = world.content
    assert(content.elsewhere === 1)
    assert(
      content.files.sorted === (files.map(_.path) :+ world.sink
        .relativize(java.nio.file.Path.of(java.net.URI.create(again.location)))
        .toString).sorted
    )
  }

  test("a history with expired snapshots has a beginning") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target()
    for (i <- 0 to 2) world.delivered(target, world.added(i.toLong, world.written(numbers(i, i + 1))))
    assert(world.content.sinceMillis === None)
    world.table.expireSnapshots().expireOlderThan(Long.MaxValue).retainLast(2).commit()
    assert(world.content.sinceMillis === Some(world.table.snapshots.asScala.map(_.timestampMillis).min))
  }

  private def dataFiles(world: TableFixture): Vector[DataFile] =
    world.table.newScan().includeColumnStats().planFiles().asScala.map(_.file).toVector
}
