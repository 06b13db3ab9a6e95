// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests

/** Settings, and jobs of the file sink with a table, by the options of users. */
class DeltaQuerySuite extends AnyFunSuite with SparkSessionForTests {

  test("appends and overwrites of batch jobs are in the table, for the owner alone", LongRun.Only) {
    val world = new TableFixture(spark)
    write(world, spark.range(0, 5).toDF(), SaveMode.Append, options)
    write(world, spark.range(5, 8).toDF(), SaveMode.Append, options)
    assert(world.ids === (0L until 8L))
    write(world, spark.range(20, 22).toDF(), SaveMode.Overwrite, options)
    assert(world.ids === Seq(20L, 21L))
    val refused = intercept[Exception](write(world, spark.range(1).toDF(), SaveMode.Overwrite, Map.empty))
    val causes  = Iterator.iterate[Throwable](refused)(_.getCause).takeWhile(_ != null)
    assert(causes.collectFirst { case e: StoplogArgumentException =>
      e.getCondition
    } === Some("STOPLOG_FOREIGN_TABLE"))
    assert(world.ids === Seq(20L, 21L))
  }

  for ((mode, first) <- Seq(SaveMode.Append -> 0L, SaveMode.Overwrite -> 5L))
    test(s"a table that is attached by a job of mode $mode starts with all visible files", LongRun.Only) {
      val world    = new TableFixture(spark)
      val attached = options + ("announce.lake.start" -> "snapshot")
      write(world, spark.range(0, 5).toDF(), SaveMode.Append, Map.empty)
      write(world, spark.range(5, 8).toDF(), mode, attached)
      assert(world.ids === (first until 8L))
      write(world, spark.range(8, 9).toDF(), SaveMode.Append, attached)
      assert(world.ids === (first until 9L))
      write(world, spark.range(20, 22).toDF(), SaveMode.Overwrite, attached)
      assert(world.ids === Seq(20L, 21L))
    }

  test("after a refused overwrite, a target of another name starts with all visible files", LongRun.Only) {
    val world = new TableFixture(spark)
    write(world, spark.range(0, 5).toDF(), SaveMode.Append, Map.empty)
    write(world, spark.range(5, 8).toDF(), SaveMode.Overwrite, options)
    val other = Map(
      "announce.lake2"        -> "delta",
      "announce.lake2.create" -> "ifMissing",
      "announce.lake2.start"  -> "snapshot"
    )
    write(world, spark.range(8, 10).toDF(), SaveMode.Append, other)
    assert(world.ids === (5L until 10L))
    write(world, spark.range(20, 22).toDF(), SaveMode.Overwrite, other)
    assert(world.ids === Seq(20L, 21L))
  }

  test("all problems of the settings are reported together") {
    val wrong   = Seq("newColumns" -> "drop", "partition" -> "day:timestamp")
    val invalid = refused(wrong :+ ("create" -> "ifMissing"): _*)
    for ((setting, value) <- wrong) assert(invalid.contains(s"$setting = '$value'"), invalid)
    assert(
      refused("partition" -> "country") === "partition has no effect unless create is ifMissing: remove it"
    )
  }

  test("rejects a session with an older Parquet") {
    val create = () => new DeltaTargetFactory(_ => false).create("lake", Map.empty[String, String].asJava)
    assert(intercept[IllegalArgumentException](create()).getMessage.contains("Use Spark 4.1 or later"))
    new DeltaTargetFactory().create("lake", Map.empty[String, String].asJava).close()
  }

  private def refused(settings: (String, String)*): String =
    intercept[IllegalArgumentException](DeltaSettings.of(settings.toMap.asJava)).getMessage

  private def write(
      world: TableFixture,
      rows: DataFrame,
      mode: SaveMode,
      options: Map[String, String]
  ): Unit =
    rows
      .coalesce(1)
      .write
      .format("stoplog")
      .option("format", "parquet")
      .options(options)
      .mode(mode)
      .save(world.sink.toString)

  private def options: Map[String, String] = Map(
    "announce.lake"             -> "delta",
    "announce.lake.create"      -> "ifMissing",
    "announce.lake.derivedKeys" -> "dt, hour"
  )
}
