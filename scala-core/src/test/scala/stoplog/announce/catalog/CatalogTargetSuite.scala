// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.catalog

import java.nio.file.{Files, Path}
import java.util.{ServiceLoader, UUID}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.laws.{AnnouncementTargetLaws, ReceiverUnderTest}
import stoplog.spark.SessionDatabase

class CatalogTargetLaws extends AnnouncementTargetLaws with SessionDatabase {
  override protected def databaseName: String = "of_catalog_laws"

  override protected def newReceiver(): ReceiverUnderTest = new ReceiverUnderTest {
    private val table = s"$database.t_${UUID.randomUUID().toString.take(8)}"

    override val path: String = Files.createTempDirectory("stoplog-catalog").toString
    spark.sql(s"CREATE TABLE $table (id INT, n INT) USING parquet PARTITIONED BY (n) LOCATION '$path'")
    (1 to 9).foreach { n =>
      Files.createFile(Files.createDirectories(Path.of(path, s"n=$n")).resolve(s"part-$n"))
    }

    override def target(): AnnouncementTarget =
      new CatalogTarget(
        CatalogSettings.parse(Map("table" -> table, "partitions" -> "all").asJava),
        Some(spark)
      )

    override def received(): Seq[Int] =
      spark.sql(s"SHOW PARTITIONS $table").collect().map(_.getString(0).stripPrefix("n=").toInt).toSeq.sorted
  }
}

class CatalogTargetSuite extends AnyFunSuite with SessionDatabase {
  override protected def databaseName: String = "of_catalog_targets"

  /** An external table over an empty directory. */
  private final class Table(columns: String = "day DATE, k STRING") {
    val name: String = s"$database.t_${UUID.randomUUID().toString.take(8)}"
    val path: Path   = Files.createTempDirectory("stoplog-catalog")
    private val keys = columns.split(", ").map(_.takeWhile(_ != ' ')).mkString(", ")
    spark.sql(s"CREATE TABLE $name (id INT, $columns) USING parquet PARTITIONED BY ($keys) LOCATION '$path'")

    def target(more: (String, String)*): AnnouncementTarget =
      ServiceLoader
        .load(classOf[TargetFactory])
        .asScala
        .find(_.kind == "catalog")
        .get
        .create("lake", (Map("table" -> name) ++ more).asJava)

    def deliver(target: AnnouncementTarget, changes: Change*): Delivery =
      target.deliver(changes.toVector.zipWithIndex.map { case (change, i) =>
        Announcement(AnnouncementId(LogId("main", "7d6f"), 1, i), path.toString, "main", change, 0)
      })

    def partitions: Seq[String] = spark.sql(s"SHOW PARTITIONS $name").collect().map(_.getString(0)).toSeq

    /** Writes a file with one row. */
    def write(bucket: String, id: Int): Path = {
      val staged = Files.createTempDirectory("stoplog-rows").resolve("x")
      spark.sql(s"SELECT $id AS id").coalesce(1).write.parquet(staged.toString)
      val file = Files.list(staged).iterator.asScala.find(_.toString.endsWith(".parquet")).get
      Files.createDirectories(path.resolve(bucket))
      Files.copy(file, path.resolve(bucket).resolve(s"part-$id.parquet"))
    }

    /** Creates the marker of a complete bucket. */
    def complete(bucket: String): Path = Files.createFile(path.resolve(bucket).resolve("_SUCCESS"))

    /** Hides a file for a replacement. */
    def hide(file: Path): Path = {
      val place = path.resolve(s"_stoplog/replace/replaced/3/${path.relativize(file)}.aside")
      Files.createDirectories(place.getParent)
      Files.move(file, place)
    }

    def ids: Seq[Int] = spark.table(name).select("id").collect().map(_.getInt(0)).toSeq.sorted
  }

  private def added(bucket: String) =
    Change.Added(bucket, Vector(AnnouncedFile(s"$bucket/part", Some(1), 10)))

  test("a complete bucket becomes a partition that readers see at once") {
    val table  = new Table
    val target = table.target()
    target.check()
    table.write("day=2026-01-31/k=a", 1)
    assert(table.ids === Nil)
    assert(table.deliver(target, added("day=2026-01-31/k=a")) === Delivery.Delivered)
    assert(table.ids === Nil, "an incomplete bucket")
    table.complete("day=2026-01-31/k=a")
    assert(table.deliver(target, Change.PartitionComplete("day=2026-01-31/k=a", 1)) === Delivery.Delivered)
    assert(table.ids === Seq(1))
    assert(spark.newSession().table(table.name).count() === 1)
    assert(table.deliver(target, Change.PartitionComplete("day=2026-01-31/k=a", 2)) === Delivery.Delivered)
  }

  test("with all, a bucket becomes a partition with its first file") {
    val table  = new Table
    val target = table.target("partitions" -> "ALL")
    table.write("day=2026-01-31/k=a", 1)
    table.write("day=2026-02-01/k=a", 2)
    table.deliver(
      target,
      added("day=2026-01-31/k=a"),
      Change.Replaced("day=2026-02-01/k=a", Vector(), Vector())
    )
    assert(table.ids === Seq(1, 2))
  }

  test("values are those of the directories") {
    val values = Seq("it''s", "a/b:c=d%", "ü€", "$" + "{env:HOME}", "a\\b", "", " x ", "\u0001", "😀", null)
    val source = Files.createTempDirectory("stoplog-values").resolve("x").toString
    val rows   = values.zipWithIndex.map { case (value, i) => Row(i, value) }
    spark
      .createDataFrame(rows.asJava, org.apache.spark.sql.types.StructType.fromDDL("id INT, k STRING"))
      .write
      .partitionBy("k")
      .parquet(source)
    val table = s"$database.of_values"
    spark.sql(s"CREATE TABLE $table (id INT, k STRING) USING parquet PARTITIONED BY (k) LOCATION '$source'")
    val buckets =
      Files.list(Path.of(source)).iterator.asScala.map(_.getFileName.toString).filter(_.contains('='))
    val target = new CatalogTarget(CatalogSettings.parse(Map("table" -> table).asJava), Some(spark))
    val all    = buckets.toVector.zipWithIndex.map { case (bucket, i) =>
      Files.createFile(Path.of(source, bucket, "_SUCCESS"))
      val id = AnnouncementId(LogId("main", "7d6f"), 1, i)
      Announcement(id, source, "main", Change.PartitionComplete(bucket, 1), 0)
    }
    assert(target.deliver(all) === Delivery.Delivered)
    val found = spark.table(table).collect().map(row => row.getInt(0) -> row.getString(1)).toMap
    assert(found === spark.read.parquet(source).collect().map(row => row.getInt(0) -> row.getString(1)).toMap)
    assert(found.size === values.size)
  }

  test("null is the default partition, also of a column that is not text") {
    val table  = new Table("h INT, k STRING")
    val bucket = "h=__HIVE_DEFAULT_PARTITION__/k=__HIVE_DEFAULT_PARTITION__"
    table.write(bucket, 1)
    table.complete(bucket)
    assert(table.deliver(table.target(), Change.PartitionComplete(bucket, 1)) === Delivery.Delivered)
    assert(spark.sql(s"SELECT * FROM ${table.name}").collect().toSeq === Seq(Row(1, null, null)))
  }

  test("the partition of an empty bucket is dropped, and no file is deleted") {
    val table  = new Table
    val target = table.target()
    val (a, b) = ("day=2026-01-31/k=a", "day=2026-01-31/k=b")
    val files  = Seq(a, b).map(table.write(_, 1))
    Seq(a, b).foreach(table.complete)
    table.deliver(target, Change.PartitionComplete(a, 1), Change.PartitionComplete(b, 1))
    Files.delete(files.head)
    val removed = Seq(a, b).map(bucket => Change.Removed(bucket, Vector(s"$bucket/part")))
    assert(table.deliver(target, removed: _*) === Delivery.Delivered)
    assert(table.partitions === Seq(b))
    assert(Files.exists(files(1)) && Files.exists(table.path.resolve(a).resolve("_SUCCESS")))
    assert(table.deliver(target, removed: _*) === Delivery.Delivered)
  }

  test("a late announcement of an emptied or incomplete bucket adds no partition") {
    val bucket = "day=2026-01-31/k=a"
    for (
      (partitions, change) <- Seq(
        "complete" -> Change.PartitionComplete(bucket, 1),
        "all"      -> added(bucket),
        "all"      -> Change.Replaced(bucket, Vector(), Vector()),
        "all"      -> Change.Snapshot(bucket, Vector())
      )
    ) {
      val table  = new Table
      val target = table.target("partitions" -> partitions)
      Files.delete(table.write(bucket, 1))
      val marker = table.complete(bucket)
      assert(table.deliver(target, change) === Delivery.Delivered)
      assert(table.partitions === Nil, change)
      table.write(bucket, 2)
      Files.delete(marker)
      table.deliver(target, change)
      assert(table.partitions === (if (partitions == "all") Seq(bucket) else Nil), change)
    }
  }

  test("hidden files keep the partition of their bucket until they are deleted") {
    val table    = new Table
    val target   = table.target()
    val bucket   = "day=2026-01-31/k=a"
    val removed  = Change.Removed(bucket, Vector(s"$bucket/part"))
    val complete = Change.PartitionComplete(bucket, 1)
    val hidden   = Seq(table.write(bucket, 1), table.complete(bucket)).map(table.hide)
    table.deliver(target, complete)
    assert(table.partitions === Seq(bucket))
    table.deliver(target, removed)
    assert(table.partitions === Seq(bucket))
    hidden.foreach(Files.delete)
    table.deliver(target, removed)
    assert(table.partitions === Nil)
    table.deliver(target, complete)
    assert(table.partitions === Nil)
  }

  test("a partition that another log adds before the drop of the empty bucket stays") {
    val table            = new Table
    val (a, b)           = ("day=2026-01-31/k=a", "day=2026-01-31/k=b")
    val complete         = Seq(a, b).map(Change.PartitionComplete(_, 1))
    var isFilled         = false
    def backfill(): Unit = {
      isFilled = true
      table.write(a, 2)
      table.complete(a)
      table.write(b, 3)
      assert(table.deliver(table.target(), complete.head) === Delivery.Delivered)
    }
    val target =
      new CatalogTarget(CatalogSettings.parse(Map("table" -> table.name).asJava), Some(spark)) {
        protected override def alter(change: String): Unit = {
          if (!isFilled && change.startsWith("DROP")) backfill()
          super.alter(change)
        }
      }
    val former = Seq(a, b).flatMap(bucket => Seq(table.write(bucket, 1), table.complete(bucket)))
    table.deliver(target, complete: _*)
    former.foreach(Files.delete)
    table.deliver(target, Seq(a, b).map(bucket => Change.Removed(bucket, Vector(s"$bucket/part"))): _*)
    assert(table.partitions === Seq(a), "the other bucket is not complete")
    assert(table.ids === Seq(2))
  }

  test("after a gap or with a snapshot, complete buckets are found by their markers") {
    for (
      (change, isGap) <- Seq(
        Change.Gap(0, 9)                                -> true,
        Change.Snapshot("day=2026-01-31/k=a", Vector()) -> false
      )
    ) {
      val table = new Table
      Seq("day=2026-01-31/k=a", "day=2026-01-31/k=b", "day=2026-02-01/k=a").foreach(table.write(_, 1))
      Seq("day=2026-01-31/k=a", "day=2026-02-01/k=a").foreach { bucket =>
        Files.createFile(table.path.resolve(bucket).resolve("_SUCCESS"))
      }
      Files.createDirectories(table.path.resolve("_stoplog/k=c"))
      Files.createDirectories(table.path.resolve("day=2026-02-02/k=empty"))
      table.deliver(table.target(), change, Change.Snapshot("day=2026-01-31/k=b", Vector()))
      val complete = Seq("day=2026-01-31/k=a") ++ Option.when(isGap)("day=2026-02-01/k=a")
      assert(table.partitions.sorted === complete)
      table.deliver(table.target("partitions" -> "all"), change)
      assert(table.partitions.size === (if (isGap) 3 else 1))
    }
  }

  test("hidden files and files outside of buckets have no partition") {
    val table  = new Table
    val target = table.target("partitions" -> "all")
    assert(table.deliver(target, added(""), added("_rejected/day=2026-01-31/k=a")) === Delivery.Delivered)
    assert(table.partitions === Nil)
  }

  test("rejects buckets and tables that do not fit, with the reason") {
    val table                                                       = new Table
    def refused(target: AnnouncementTarget, bucket: String): String =
      table.deliver(target, Change.PartitionComplete(bucket, 1)) match {
        case Delivery.Refused(reason, _) => reason
        case other                       => fail(other.toString)
      }
    assert(
      refused(
        table.target(),
        "2026-01-31"
      ) === "the bucket '2026-01-31' does not consist of names column=value"
    )
    table.write("month=1/k=a", 1)
    table.complete("month=1/k=a")
    assert(refused(table.target(), "month=1/k=a").contains("month"))
    assert(refused(table.target("table" -> s"$database.nowhere"), "day=2026-01-31/k=a").contains("nowhere"))
    spark.sql(s"ALTER TABLE ${table.name} SET TBLPROPERTIES ('external.table.purge' = 'TRUE')")
    assert(refused(table.target(), "day=2026-01-31/k=a").contains("external.table.purge"))
  }

  test("rejects a managed table by name") {
    spark.sql(s"CREATE TABLE $database.managed (id INT, k STRING) USING parquet PARTITIONED BY (k)")
    spark.sql(s"CREATE TABLE $database.whole (id INT) USING parquet LOCATION '$directory/whole'")
    val table = new Table
    for (
      (name, why) <- Seq("managed" -> "is not external but MANAGED", "whole" -> "has no partition columns")
    ) {
      val target  = table.target("table" -> s"$database.$name")
      val message = intercept[IllegalArgumentException](target.check()).getMessage
      assert(message.startsWith(s"the table `$database`.`$name` $why"), message)
      assert(table.deliver(target, Change.Removed("k=a", Vector())).isInstanceOf[Delivery.Refused])
    }
  }

  test("a process without a session retries, and the check states the reason") {
    val target = new CatalogTarget(CatalogSettings(Seq("t"), Partitions.All), None)
    assert(intercept[IllegalStateException](target.check()).getMessage.contains("needs a Spark session"))
    assert(new Table().deliver(target, added("k=a")).isInstanceOf[Delivery.Retry])
  }

  test("all problems of the settings are reported together") {
    def problems(settings: (String, String)*) =
      intercept[IllegalArgumentException](CatalogSettings.parse(settings.toMap.asJava)).getMessage
    val message = problems("table" -> "a b", "partitions" -> "some")
    assert(message.contains("is not the name of a table") && message.contains("partitions = 'some'"), message)
    assert(problems().contains("table is not set"))
  }
}
