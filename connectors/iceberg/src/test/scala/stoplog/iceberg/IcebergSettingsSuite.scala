// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.format.SparkSessionForTests

class IcebergSettingsSuite extends AnyFunSuite with SparkSessionForTests {

  private def numbers(from: Long, to: Long): DataFrame =
    spark.range(from, to).withColumn("name", concat(lit("n"), col("id")))

  private def refused(settings: (String, String)*): String =
    intercept[IllegalArgumentException](IcebergSettings.of(settings.toMap.asJava)).getMessage

  test("properties of the catalog keep the spelling of the user") {
    val settings = IcebergSettings.of(
      Map("table" -> "db.t", "Catalog.type" -> "jdbc", "catalog.jdbc.useSSL" -> "true").asJava
    )
    assert(settings.properties === Map("type" -> "jdbc", "jdbc.useSSL" -> "true"))
    assert(settings.catalog === "iceberg")
    assert(settings.creation === None)
  }

  test("all problems of the settings are reported together") {
    assert(refused() === "catalog.type is not set. table is not set")
    val needed  = Seq("table" -> "db.t", "catalog.type" -> "hadoop")
    val wrong   = Seq("formatVersion" -> "4", "newColumns" -> "drop", "partition" -> "day(at")
    val invalid = refused(needed ++ wrong :+ ("create" -> "ifMissing"): _*)
    for ((setting, value) <- wrong) assert(invalid.contains(s"$setting = '$value'"), invalid)
    val idle = refused(needed :+ ("partition" -> "country"): _*)
    assert(idle === "partition has no effect unless create is ifMissing: remove it")
  }

  test("rejects a table location above the path of the sink") {
    val world = TableFixture.hadoop(spark)
    val file  = world.written(numbers(0, 1))
    world.catalog
      .buildTable(
        world.name,
        FileFooter
          .read(
            new org.apache.hadoop.fs.Path(world.sink.resolve(file.path).toUri),
            spark.sparkContext.hadoopConfiguration
          )
          .schema
      )
      .create()
    val inside =
      world.announced(0, Change.Added("", Vector(file))).copy(path = s"${world.warehousePath}/db/events/data")
    val reason = world.target().deliver(Vector(inside))
    assert(reason.asInstanceOf[Delivery.Refused].reason.contains("overlaps the path of the sink"))
  }

  test("the check reports a missing table and another partitioning") {
    val world = TableFixture.hadoop(spark)
    val fixed = world.settings("create" -> "never")
    assert(
      intercept[IllegalArgumentException](new IcebergTarget(fixed).check()).getMessage
        .contains("has no table db.events")
    )
    world.target().check()
    world.delivered(world.target(), world.added(0, world.written(numbers(0, 1))))
    new IcebergTarget(fixed).check()
    val other = intercept[IllegalArgumentException](world.target("partition" -> "truncate(2, name)").check())
    assert(other.getMessage.contains("requires [truncate[2](name)]"))
  }

  test("creates tables of format version 3") {
    val world = TableFixture.hadoop(spark)
    world.delivered(world.target("formatVersion" -> "3"), world.added(0, world.written(numbers(0, 2))))
    assert(org.apache.iceberg.TableUtil.formatVersion(world.table) === 3)
    assert(world.ids === Seq(0L, 1L))
  }
}
