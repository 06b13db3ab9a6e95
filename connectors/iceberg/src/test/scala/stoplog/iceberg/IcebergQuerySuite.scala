// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** Jobs and queries of the file sink with a table, by the options of users. */
class IcebergQuerySuite extends AnyFunSuite with SparkSessionForTests {

  test("appends and overwrites of batch jobs are in the table") {
    val world = TableFixture.hadoop(spark)
    write(world, spark.range(0, 5).toDF(), SaveMode.Append)
    write(world, spark.range(5, 8).toDF(), SaveMode.Append)
    assert(world.ids === (0L until 8L))
    write(world, spark.range(20, 22).toDF(), SaveMode.Overwrite)
    assert(world.ids === Seq(20L, 21L))
  }

  private def write(world: TableFixture, rows: DataFrame, mode: SaveMode): Unit =
    rows
      .coalesce(1)
      .write
      .format("stoplog")
      .options(options(world))
      .mode(mode)
      .save(world.sink.toString)

  private def options(world: TableFixture): Map[String, String] =
    Map(
      "format"                    -> "parquet",
      "announce.lake"             -> "iceberg",
      "announce.lake.table"       -> world.name.toString,
      "announce.lake.create"      -> "ifMissing",
      "announce.lake.derivedKeys" -> "dt, hour"
    ) ++ world.catalogProperties.map { case (key, value) => s"announce.lake.catalog.$key" -> value }
}
