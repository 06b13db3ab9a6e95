// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.expressions.{Expression, Expressions}
import org.apache.iceberg.transforms.Transforms
import org.apache.iceberg.types.Types
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** Bounds and partitions that do not hold for all rows of a file would hide rows. */
class ProvenBoundsSuite extends AnyFunSuite with SparkSessionForTests {

  test("rejects a file of several buckets, also if the first and the last value are in one bucket") {
    val bucket  = Transforms.bucket[java.lang.Long](2).bind(Types.LongType.get)
    val of      = (0L to 100L).map(id => id -> bucket.apply(id).intValue)
    val first   = of.head
    val other   = of.find(_._2 != first._2).get
    val last    = of.find { case (id, number) => id > other._1 && number == first._2 }.get
    val world   = TableFixture.hadoop(spark)
    val target  = world.target("partition" -> "bucket(2, id)")
    val rows    = spark.range(101).where(s"id IN (${first._1}, ${other._1}, ${last._1})").coalesce(1).toDF()
    val refusal = world.refused(target, world.added(0, world.written(rows)))
    assert(refusal.contains("not in one partition of bucket[2](id)"), refusal)
    world.delivered(target, world.added(0, world.written(5 to 5)))
    assert(world.ids === Seq(5L))
  }

  test("rejects timestamps in milliseconds, which Iceberg would take for microseconds") {
    val world = TableFixture.hadoop(spark)
    val file  = withConf("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS") {
      world.written(spark.range(1).selectExpr("id", "timestamp'2026-01-31 10:00:00Z' AS ts"))
    }
    val reason = world.refused(world.target(), world.added(0, file))
    assert(reason.contains("the column ts") && reason.contains("TIMESTAMP_MICROS"), reason)
  }

  test("bounds of some row groups hide no row of the others: NaN") {
    val number =
      "CASE WHEN id = 59999 THEN double('NaN') WHEN id = 59998 THEN 500D ELSE 1D + id % 10 END AS x"
    assert(found(number, Expressions.equal("x", 500d)) === 1)
  }

  test("bounds of some row groups hide no row of the others: long values") {
    val long = "CASE WHEN id >= 59000 THEN repeat('z', 5000) ELSE 'a' END AS x"
    assert(found(long, Expressions.greaterThan("x", "b")) === 1)
  }

  test("bounds of all row groups hide files") {
    assert(found("1 + id % 10 AS x", Expressions.equal("x", 500L)) === 0)
  }

  /** The number of files in which a reader looks. */
  private def found(column: String, filter: Expression): Int = {
    val world           = TableFixture.hadoop(spark)
    val rows: DataFrame = spark.range(0, 60000, 1, 1).selectExpr("id", column)
    val file            = withConf("parquet.block.size", "100000")(world.written(rows))
    world.delivered(world.target(), world.added(0, file))
    assert(world.table.newScan().planFiles().asScala.head.file.splitOffsets.size > 1)
    world.table.newScan().filter(filter).planFiles().asScala.size
  }

  private def withConf[A](key: String, value: String)(work: => A): A = {
    val before = spark.conf.getOption(key)
    spark.conf.set(key, value)
    try work
    finally before.fold(spark.conf.unset(key))(spark.conf.set(key, _))
  }
}
