// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.{CompletableFuture, TimeUnit}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.util.QueryExecutionListener
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown

/** Jobs that replace single partitions, by each statement and call that Spark has for them. */
class PartitionOverwritesSuite extends AnyFunSuite with SessionDatabase {
  override protected def databaseName: String = "partition_overwrites"

  private val Dynamic = "spark.sql.sources.partitionOverwriteMode"

  private val again = "2026-01-02"

  private def sales(day: String, count: Int, offset: Int = 0): DataFrame =
    spark.range(count).selectExpr(s"id + $offset AS id", s"DATE '$day' AS day")

  private def dynamically[A](body: => A): A = {
    spark.conf.set(Dynamic, "dynamic")
    try body
    finally spark.conf.unset(Dynamic)
  }

  /** A table of three days with two rows each. */
  private def table(name: String, place: TestDirectory = new TestDirectory): String = {
    val full = s"$database.$name"
    spark.sql(
      s"CREATE TABLE $full (id BIGINT, day DATE) USING stoplog OPTIONS (format 'parquet') " +
        s"PARTITIONED BY (day) LOCATION '${place.out}'"
    )
    Seq("2026-01-01", again, "2026-01-03").foreach(sales(_, 2).writeTo(full).append())
    full
  }

  private def days(table: String): Map[String, Seq[Long]] = of(spark.table(table))

  private def of(rows: DataFrame): Map[String, Seq[Long]] = rows
    .selectExpr("cast(day AS STRING)", "cast(id AS BIGINT)")
    .collect()
    .toSeq
    .groupMap(row => String.valueOf(row.get(0)))(_.getLong(1))
    .view
    .mapValues(_.sorted)
    .toMap

  private val others = Map("2026-01-01" -> Seq(0L, 1L), "2026-01-03" -> Seq(0L, 1L))

  private def condition(action: => Any): String = Thrown.text(intercept[Exception](action))

  private def replaced(name: String)(overwrite: String => Unit): Unit =
    test(s"$name replaces one day and keeps the others") {
      val t = table(name.toLowerCase.replaceAll("[^a-z0-9]+", "_"))
      sales(again, 1, 50).createOrReplaceTempView("again")
      overwrite(t)
      assert(days(t) === others + (again -> Seq(50L)))
      overwrite(t) // the same job again has the same effect
      assert(days(t) === others + (again -> Seq(50L)))
    }

  replaced("INSERT OVERWRITE with a static partition")(t =>
    spark.sql(s"INSERT OVERWRITE $t PARTITION (day = DATE '$again') SELECT id FROM again"): Unit
  )

  replaced("INSERT OVERWRITE with a dynamic partition")(t =>
    dynamically(spark.sql(s"INSERT OVERWRITE $t PARTITION (day) SELECT id, day FROM again")): Unit
  )

  replaced("INSERT OVERWRITE without a partition in dynamic mode")(t =>
    dynamically(spark.sql(s"INSERT OVERWRITE $t SELECT id, day FROM again")): Unit
  )

  replaced("INSERT INTO REPLACE WHERE")(t =>
    spark.sql(s"INSERT INTO $t REPLACE WHERE day = DATE '$again' SELECT id, day FROM again"): Unit
  )

  replaced("overwritePartitions")(t => spark.table("again").writeTo(t).overwritePartitions())

  replaced("overwrite of a condition")(t =>
    spark.table("again").writeTo(t).overwrite(col("day") === lit(again).cast("date"))
  )

  replaced("insertInto in dynamic mode")(t =>
    dynamically(spark.table("again").write.mode("overwrite").insertInto(t))
  )

  replaced("insertInto with the option dynamic")(t =>
    spark
      .table("again")
      .write
      .format("stoplog")
      .option("partitionOverwriteMode", "dynamic")
      .mode("overwrite")
      .insertInto(t)
  )

  replaced("insertInto with replaceWhere")(t =>
    spark
      .table("again")
      .write
      .format("stoplog")
      .option("replaceWhere", s"day = '$again'")
      .mode("overwrite")
      .insertInto(t)
  )

  test("insertInto with overwrite and without dynamic mode replaces all") {
    val t = table("static_insert")
    sales(again, 1, 50).write.mode("overwrite").insertInto(t)
    assert(days(t) === Map(again -> Seq(50L)))
  }

  test("an overwrite by a condition replaces several days in one job") {
    val t    = table("several")
    val rows = sales(again, 1, 50).union(sales("2026-01-03", 1, 60))
    rows.writeTo(t).overwrite(col("day") >= lit(again).cast("date"))
    assert(days(t) === Map("2026-01-01" -> Seq(0L, 1L), again -> Seq(50L), "2026-01-03" -> Seq(60L)))
  }

  test("save with mode overwrite replaces the partitions of the rows in dynamic mode, for each layout") {
    for {
      (layout, bucket) <- Seq(
        Map("partitionBy" -> "day")                                                 -> "day",
        Map("bucketBy" -> "concat('day=', day)")                                    -> "day",
        Map("bucketColumn" -> "day", "bucketFormat" -> "'dt='yyyy-MM-dd'/hour='HH") -> "dt"
      )
      byOption <- Seq(true, false)
    } {
      val place                                = new TestDirectory
      def write(rows: DataFrame, mode: String) =
        rows.write.format("stoplog").option("format", "json").options(layout).mode(mode)
      Seq("2026-01-01", again, "2026-01-03").foreach(day => write(sales(day, 2), "append").save(place.out))
      val untouched = place.files.filterNot(_.toString.contains(again)).toSet
      val overwrite = write(sales(again, 1, 50), "overwrite")
      if (byOption) overwrite.option("partitionOverwriteMode", "Dynamic").save(place.out)
      else dynamically(overwrite.save(place.out))
      assert(untouched.subsetOf(place.files.toSet), layout)
      assert(place.files.size === untouched.size + 1, layout)
      assert(place.files.count(_.toString.contains(s"$bucket=$again")) === 1, layout)
      dynamically(write(sales(again, 0), "overwrite").save(place.out)) // no row: nothing changes
      assert(place.files.size === untouched.size + 1, layout)
    }
  }

  test("without partitions, dynamic mode replaces all, as Spark's own files do") {
    val place          = new TestDirectory
    def write(id: Int) = spark
      .range(id, id + 1L)
      .write
      .format("stoplog")
      .option("format", "json")
      .option("bucketAssigner", "basePath")
      .mode("overwrite")
      .save(place.out)
    write(1)
    dynamically(write(2))
    assert(place.lines === Seq("""{"id":2}"""))
  }

  test("an overwrite of all rows of a table replaces all rows, also in a dynamic session") {
    val t = table("all_rows")
    dynamically(sales(again, 1, offset = 9).writeTo(t).overwrite(lit(true)))
    assert(days(t) === Map(again -> Seq(9L)))
    dynamically(spark.sql(s"INSERT OVERWRITE $t SELECT 7L, DATE '2026-01-05'"))
    assert(days(t) === Map(again -> Seq(9L), "2026-01-05" -> Seq(7L)), "Spark has decided by the session")
    dynamically(spark.sql(s"INSERT INTO $t REPLACE WHERE TRUE SELECT 8L, DATE '2026-01-06'"))
    assert(days(t) === Map("2026-01-06" -> Seq(8L)))
  }

  test("dynamic mode is rejected for buckets by the time of the job, which would keep all earlier rows") {
    val place = new TestDirectory
    val t     = s"$database.by_time_of_job"
    spark.sql(s"CREATE TABLE $t (id BIGINT) USING stoplog OPTIONS (format 'json') LOCATION '${place.out}'")
    def write(mode: String, options: (String, String)*): Unit = spark
      .range(1)
      .write
      .format("stoplog")
      .options(Map("format" -> "json", "bucketFormat" -> "'at='HH-mm-ss-SSS") ++ options)
      .mode(mode)
      .save(place.out)
    write("append")
    val refused = Seq[() => Unit](
      () => dynamically(write("overwrite")),
      () => write("overwrite", "partitionOverwriteMode" -> "dynamic"),
      () => dynamically(spark.sql(s"INSERT OVERWRITE $t SELECT 7L")): Unit,
      () => spark.range(1).writeTo(t).overwritePartitions()
    )
    for ((action, n) <- refused.zipWithIndex)
      assert(condition(action()).contains("named after the time of the job"), s"case $n")
    dynamically(write("overwrite", "partitionOverwriteMode" -> "static"))
    assert(place.lines === Seq("""{"id":0}"""))
  }

  private def path(place: TestDirectory, mode: String, options: (String, String)*)(rows: DataFrame): Unit =
    rows.write
      .format("stoplog")
      .option("format", "json")
      .option("partitionBy", "day")
      .options(options.toMap)
      .mode(mode)
      .save(place.out)

  private def ofPath(place: TestDirectory): Map[String, Seq[Long]] =
    of(spark.read.format("stoplog").option("format", "json").schema("id BIGINT, day DATE").load(place.out))

  private def threeDays(): TestDirectory = {
    val place = new TestDirectory
    Seq("2026-01-01", again, "2026-01-03").foreach(day => path(place, "append")(sales(day, 2)))
    place
  }

  test("replaceWhere replaces what its condition selects, and deletes without rows") {
    val place = threeDays()
    path(place, "overwrite", "replaceWhere" -> s"day = '$again'")(sales(again, 1, 50))
    assert(ofPath(place) === others + (again -> Seq(50L)))
    path(place, "overwrite", "replaceWhere" -> s"day = '$again'")(sales(again, 0))
    assert(ofPath(place) === others)
    path(place, "overwrite", "replaceWhere" -> "day IS NULL OR day < '2025-01-01'")(sales(again, 0))
    assert(ofPath(place) === others)
    path(place, "overwrite", "replaceWhere" -> "true")(sales(again, 1, 7))
    assert(ofPath(place) === Map(again -> Seq(7L)))
  }

  test("a row outside the condition fails the job, and nothing changes") {
    val place = threeDays()
    val error = condition(
      path(place, "overwrite", "replaceWhere" -> s"day = '$again'", "onBadRow" -> "reject")(
        sales(again, 1).union(sales("2026-01-04", 1))
      )
    )
    assert(error.contains("STOPLOG_ROW_OUTSIDE_OVERWRITE") && error.contains("day=2026-01-04"))
    assert(ofPath(place) === others + (again -> Seq(0L, 1L)))
  }

  test("replaceWhere is refused in dynamic mode, with append, and together with another condition") {
    val place   = threeDays()
    val t       = table("refused_together")
    val where   = "replaceWhere" -> s"day = '$again'"
    val refused = Seq[() => Unit](
      () => path(place, "overwrite", where, "partitionOverwriteMode" -> "dynamic")(sales(again, 1)),
      () => dynamically(path(place, "overwrite", where)(sales(again, 1))),
      () => path(place, "append", where)(sales(again, 1)),
      () => sales(again, 1).writeTo(t).option(where._1, where._2).overwritePartitions(),
      () => sales(again, 1).writeTo(t).option(where._1, where._2).overwrite(col("day").isNull),
      () => sales(again, 1).writeTo(t).option("partitionOverwriteMode", "static").overwritePartitions()
    )
    for ((action, n) <- refused.zipWithIndex)
      assert(condition(action()).contains("STOPLOG_INVALID_OPTIONS"), s"case $n")
    assert(ofPath(place) === others + (again -> Seq(0L, 1L)))
    assert(days(t) === others + (again       -> Seq(0L, 1L)))
  }

  test("a condition on another column, or with another operator, fails by name") {
    val place = threeDays()
    val t     = table("unknown_condition")
    for (
      where <- Seq(
        "id = 1",
        "year(day) = 2026",
        "cast(day AS STRING) LIKE '2026%'",
        "day = '2026-01-01' OR id = 1"
      )
    )
      assert(
        condition(path(place, "overwrite", "replaceWhere" -> where)(sales(again, 1)))
          .contains("STOPLOG_PARTITION_CONDITION"),
        where
      )
    assert(
      condition(path(place, "overwrite", "replaceWhere" -> "nothing = 1")(sales(again, 1)))
        .contains("STOPLOG_PARTITION_CONDITION")
    )
    assert(condition(spark.sql(s"DELETE FROM $t WHERE id = 1")).contains("STOPLOG_PARTITION_CONDITION"))
    assert(
      condition(sales(again, 1).writeTo(t).overwrite(col("id") === 1)).contains("STOPLOG_PARTITION_CONDITION")
    )
    assert(ofPath(place) === others + (again -> Seq(0L, 1L)))
    assert(days(t) === others + (again       -> Seq(0L, 1L)))
  }

  test("a condition needs partition columns") {
    val place = new TestDirectory
    val rows  = sales(again, 1).write.format("stoplog").option("format", "json")
    val error = condition(rows.option("replaceWhere", s"day = '$again'").mode("overwrite").save(place.out))
    assert(error.contains("STOPLOG_PARTITION_CONDITION") && error.contains("partitionBy"))
  }

  test("DELETE removes the days that its condition selects, and TRUNCATE removes all") {
    val place = new TestDirectory
    val t     = table("deleted", place)
    spark.sql(s"DELETE FROM $t WHERE day = DATE '$again'")
    assert(days(t) === others)
    spark.sql(
      s"DELETE FROM $t WHERE day > DATE '2026-01-01' AND NOT day IN (DATE '2026-01-02', DATE '2026-01-04')"
    )
    assert(days(t) === others - "2026-01-03")
    spark.sql(s"DELETE FROM $t WHERE day IS NULL")
    assert(days(t) === others - "2026-01-03")
    assert(place.directories === Set("day=2026-01-01"))
    sales(again, 2).writeTo(t).append()
    spark.sql(s"TRUNCATE TABLE $t")
    assert(days(t) === Map.empty)
    sales(again, 2).writeTo(t).append()
    dynamically(spark.sql(s"DELETE FROM $t"))
    assert(days(t) === Map.empty)
  }

  test("a job may read the partition that it replaces") {
    val t = table("self")
    spark.sql(
      s"INSERT OVERWRITE $t PARTITION (day = DATE '$again') SELECT id + 10 FROM $t WHERE day = DATE '$again'"
    )
    assert(days(t) === others + (again -> Seq(10L, 11L)))
  }

  test("the directory of a partition is no path of its own: its files belong to the log above") {
    val place = threeDays()
    val rows  = spark.range(1).write.format("stoplog").option("format", "json")
    val day   = rows.option("bucketAssigner", "basePath").mode("overwrite")
    val error = condition(day.save(s"${place.out}/day=$again"))
    assert(error.contains("STOPLOG_FOREIGN_TABLE"))
    assert(ofPath(place) === others + (again -> Seq(0L, 1L)))
  }

  test("the plan of an overwrite counts the replaced files and partitions") {
    val place   = threeDays()
    val counted = new CompletableFuture[Map[String, Long]]
    val counter = new QueryExecutionListener {
      override def onSuccess(function: String, query: QueryExecution, nanos: Long): Unit =
        query.executedPlan
          .find(_.metrics.contains("stoplogReplacedFiles"))
          .foreach(plan => counted.complete(plan.metrics.view.mapValues(_.value).toMap))
      override def onFailure(function: String, query: QueryExecution, error: Exception): Unit = ()
    }
    spark.listenerManager.register(counter)
    try {
      val where = s"day >= '$again'"
      path(place, "overwrite", "replaceWhere" -> where)(sales(again, 1, 50))
      val counts = counted.get(60, TimeUnit.SECONDS)
      assert(counts("stoplogReplacedPartitions") === 2)
      assert(counts("stoplogReplacedFiles") >= 2 && counts("stoplogReplacedBytes") > 0)
    } finally spark.listenerManager.unregister(counter)
  }

  test("the statements about single partitions of a catalog are refused by Spark") {
    val t = table("managed_partitions")
    for (
      statement <- Seq(
        s"TRUNCATE TABLE $t PARTITION (day = DATE '$again')",
        s"ALTER TABLE $t DROP PARTITION (day = DATE '$again')",
        s"SHOW PARTITIONS $t"
      )
    ) assert(intercept[Exception](spark.sql(statement).collect()).isInstanceOf[SparkThrowable], statement)
    assert(days(t) === others + (again -> Seq(0L, 1L)))
  }
}
