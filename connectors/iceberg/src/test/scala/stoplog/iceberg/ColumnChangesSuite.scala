// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.MetadataBuilder
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** Columns of the table that users have changed, and columns of files with other names, ids or nulls. Iceberg's reader of the
  * tests ignores the name mapping, so the tests compare the mapping itself.
  */
class ColumnChangesSuite extends AnyFunSuite with SparkSessionForTests {

  test("a new column leaves a renamed column, and its values in former files, as they are") {
    val world = filled()
    world.table.updateSchema().renameColumn("name", "title").commit()
    world.delivered(adding(world), world.added(1, world.written(numbers(1).withColumn("extra", lit(7)))))
    assert(names(world) === Seq("id", "title", "extra"))
    assert(mapped(world, "name") === world.table.schema.findField("title").fieldId)
  }

  test("a new column does not bring back a dropped column") {
    val world = filled()
    world.table.updateSchema().deleteColumn("name").commit()
    world.delivered(adding(world), world.added(1, world.written(numbers(1).withColumn("extra", lit(7)))))
    assert(names(world) === Seq("id", "extra"))
    assert(world.ids === Seq(0L, 1L))
  }

  test("a new column leaves required columns required, and nulls are rejected") {
    val world = filled()
    world.table.updateSchema().allowIncompatibleChanges().requireColumn("name").commit()
    val wider = numbers(1).withColumn("extra", lit(7))
    world.delivered(adding(world), world.added(1, world.written(wider)))
    assert(world.table.schema.findField("name").isRequired)
    val nulls  = wider.withColumn("name", lit(null).cast("string")).withColumn("more", lit(7))
    val file   = world.added(2, world.written(nulls))
    val reason = world.refused(adding(world), file)
    assert(reason.contains("nulls in the required columns name"), reason)
    world.table.updateProperties().set("write.metadata.metrics.default", "none").commit()
    assert(world.refused(adding(world), file) === reason)
  }

  test("new nested columns of structs, arrays and maps are added to their columns") {
    val world           = TableFixture.hadoop(spark)
    def rows(x: String) = spark.sql(
      s"SELECT 1L AS id, named_struct($x) AS s, array(named_struct($x)) AS a, map('k', named_struct($x)) AS m"
    )
    world.delivered(world.target(), world.added(0, world.written(rows("'x', 1"))))
    world.table.updateSchema().renameColumn("a", "points").commit()
    world.delivered(adding(world), world.added(1, world.written(rows("'x', 1, 'y', 2"))))
    val schema = world.table.schema
    assert(names(world) === Seq("id", "s", "points", "m"))
    assert(Seq("s.y", "points.element.y", "m.value.y").map(schema.findField).forall(_ != null))
    for (
      (column, path) <- Seq("s.y" -> "s.y", "points.element.y" -> "a.element.y", "m.value.y" -> "m.value.y")
    )
      assert(mapped(world, path) === schema.findField(column).fieldId)
  }

  test("a file of a wider type is rejected, with and without new columns") {
    val world = TableFixture.hadoop(spark)
    val small = numbers(0).withColumn("n", lit(1))
    world.delivered(world.target(), world.added(0, world.written(small)))
    val wide = numbers(1).withColumn("n", lit(1L))
    for (rows <- Seq(wide, wide.withColumn("extra", lit(7))))
      assert(world.refused(adding(world), world.added(1, world.written(rows))).contains("do not match"))
    assert(names(world) === Seq("id", "name", "n"))
  }

  test("rejects a file without a required column") {
    val world = filled()
    world.table.updateSchema().allowIncompatibleChanges().requireColumn("name").commit()
    val file   = world.written(numbers(1).drop("name"))
    val reason = world.refused(world.target(), world.added(1, file))
    assert(reason.contains("lacks the required columns name"), reason)
  }

  test("a directory supplies the values of a required column") {
    val world  = TableFixture.hadoop(spark)
    val target = world.target("partition" -> "country")
    world.delivered(target, world.added(0, world.written(numbers(0), "country=NO")))
    world.table.updateSchema().allowIncompatibleChanges().requireColumn("country").commit()
    world.delivered(target, world.added(1, world.written(numbers(1), "country=SE")))
    val none = world.added(2, world.written(numbers(2), "country=__HIVE_DEFAULT_PARTITION__"))
    assert(world.refused(target, none).contains("lacks the required columns country"))
    assert(world.ids === Seq(0L, 1L))
  }

  test("rejects field ids in a file that are not the ids of the table") {
    val world = filled()
    for (ids <- Seq(Seq(2, 1), Seq(10, 20)))
      assert(
        world
          .refused(world.target(), world.added(1, world.written(identified(ids))))
          .contains("the field ids of the columns id, name")
      )
    world.delivered(world.target(), world.added(1, world.written(identified(Seq(1, 2)))))
    assert(world.rows("id", "name").toSet === Set(Seq[Any](0L, "n0"), Seq[Any](1L, "n1")))
  }

  private def identified(ids: Seq[Int]): DataFrame =
    numbers(1).select(Seq("id", "name").zip(ids).map { case (name, id) =>
      col(name).as(name, new MetadataBuilder().putLong("parquet.field.id", id.toLong).build())
    }: _*)

  private def filled(): TableFixture = {
    val world = TableFixture.hadoop(spark)
    world.delivered(world.target(), world.added(0, world.written(numbers(0))))
    world
  }

  private def adding(world: TableFixture): IcebergTarget = world.target("newColumns" -> "add")

  private def numbers(id: Long): DataFrame =
    spark.range(id, id + 1).withColumn("name", concat(lit("n"), col("id")))

  /** The id by which readers find a column of the files. */
  private def mapped(world: TableFixture, path: String): Int =
    TableColumns.mapping(world.table).find(path).id.intValue

  private def names(world: TableFixture): Seq[String] =
    world.table.schema.columns.asScala.map(_.name).toSeq
}
