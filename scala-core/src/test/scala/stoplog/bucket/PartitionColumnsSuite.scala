// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.file.Files
import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import stoplog.LongRun
import stoplog.format.{SparkSessionForTests, TaskSerialization}

class PartitionColumnsSuite extends AnyFunSuite with SparkSessionForTests {

  private lazy val rows: DataFrame = spark.sql(
    """SELECT * FROM VALUES
      |  (1, 'plain', TIMESTAMP '2026-01-31 23:59:59.5', DATE '2026-01-31', 1.5D, true, X'4142'),
      |  (2, 'a/b\\c:d%e=f?#"''*[]{}^', TIMESTAMP '2026-07-01 00:00:00', DATE '0001-01-01', double('NaN'), false, X'44'),
      |  (3, 'ünï 🚀.', null, null, null, null, null),
      |  (4, null, TIMESTAMP '1900-01-01 00:00:00', DATE '9999-12-31', -0.0D, true, X'43'),
      |  (5, 'x=y', null, null, null, null, null),
      |  (6, '..', null, null, null, null, null),
      |  (7, 'tab\tnewline\n', null, null, null, null, null)
      | AS t(id, s, at, day, x, ok, `odd``/na=me`)""".stripMargin
  )

  private def assigned(names: Seq[String]): Seq[String] = {
    val columns  = PartitionColumns.of(rows.schema, names)
    val assigner = TaskSerialization.toTask(PartitionColumnsBucketAssigner.bind(spark, columns))
    assigner.open(rows.schema)
    rows.queryExecution.executedPlan.executeCollect().toSeq.map(assigner.bucket(_, null))
  }

  // The directories that Spark's own sink makes of the same rows.
  private def sparks(names: Seq[String]): Set[String] = {
    val dir = Files.createTempDirectory("stoplog-partitions")
    rows.write.mode("overwrite").partitionBy(names: _*).json(dir.toString)
    val files = Files.walk(dir).iterator().asScala.filter(_.getFileName.toString.startsWith("part-"))
    files.map(file => dir.relativize(file.getParent).toString).toSet
  }

  for (
    names <- Seq(
      Seq("s"),
      Seq("at"),
      Seq("day"),
      Seq("x"),
      Seq("ok", "s"),
      Seq("odd`/na=me"),
      Seq("day", "id", "at")
    )
  )
    test(s"${names.mkString(", ")}: the directories are those of Spark's own sink") {
      val ids = assigned(names)
      assert(ids.toSet === sparks(names))
      ids.foreach(BucketId.checked)
    }

  test("timestamps use the session's time zone, as in Spark's own sink") {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
    try assert(assigned(Seq("at")).toSet === sparks(Seq("at")))
    finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  test("nulls go to Hive's default partition") {
    assert(assigned(Seq("s"))(3) === "s=__HIVE_DEFAULT_PARTITION__")
  }

  private def bucketOf(value: String, zone: Option[String]): String = {
    val df       = spark.sql(s"SELECT 1 AS id, $value AS p")
    val columns  = PartitionColumns.of(df.schema, Seq("p"))
    val assigner =
      TaskSerialization.toTask(PartitionColumnsBucketAssigner.bind(spark, columns, zone.map(ZoneId.of)))
    assigner.open(df.schema)
    assigner.bucket(df.queryExecution.executedPlan.executeCollect().head, null)
  }

  test("values of all types are read back from their directories", LongRun.Only) {
    val values = Seq(
      "-128Y", "-32768S", "-2147483648", "-9223372036854775808L", "1.5F", "-0.0F", "float('-Infinity')",
      "4.9E-324D", "double('NaN')", "1.7976931348623157E308D", "true", "CAST(0 AS DECIMAL(38,18))", "-1.50BD",
      "CAST('99999999999999999999.999999999999999999' AS DECIMAL(38,18))", "DATE '0001-01-01'",
      "DATE '9999-12-31'", "date_from_unix_date(-1000000)", "date_from_unix_date(5000000)",
      "TIMESTAMP '2026-01-31 23:59:59.123456'", "timestamp_micros(-62135596800000001)",
      "timestamp_micros(253402300800000001)", "timestamp_micros(-1)",
      "TIMESTAMP_NTZ '2026-01-31 23:59:59.000001'", "TIMESTAMP_NTZ '1582-10-10 00:00:00'",
      "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-1 02:03:04.5' DAY TO SECOND", "X'00C3BC'", "X'41'", "' '",
      "' a b '", "'null'", "'%41'", "'\u00fc'", "'a=b'", "CAST(NULL AS STRING)", "CAST(NULL AS DECIMAL(5,2))",
      "collate('A', 'UTF8_LCASE')"
    )
    for {
      value <- values
      zone  <- Seq(None, Some("America/New_York"), Some("+05:53:28"))
    } withClue(s"$value in $zone: ")(assert(bucketOf(value, zone).startsWith("p=")))
  }

  test("a value is rejected if readers take its directory for another value") {
    val lost = Seq(
      "''", "'__HIVE_DEFAULT_PARTITION__'", "X''", "X'FF'", "CAST(X'4DFC6E' AS STRING)",
      "X'5F5F484956455F44454641554C545F504152544954494F4E5F5F'", "X'5C4E'", "X'612F62'"
    )
    def refused(value: String, zone: Option[String] = None) = {
      val e = withClue(s"$value: ")(intercept[Exception](bucketOf(value, zone))).asInstanceOf[SparkThrowable]
      assert(e.getCondition === "STOPLOG_BUCKET_ID", value)
      assert(e.getMessageParameters.get("why").contains("value of p"), value)
    }
    lost.foreach(refused(_))
    // the hour that occurs twice: 1:30 in daylight time is the value of the name, and 1:30 in standard time is not
    val twice = "TIMESTAMP '2025-11-02 06:30:00Z'"
    refused(twice, Some("America/New_York"))
    assert(
      bucketOf("TIMESTAMP '2025-11-02 05:30:00Z'", Some("America/New_York")) === "p=2025-11-02 01%3A30%3A00"
    )
    assert(bucketOf(twice, Some("UTC")) === "p=2025-11-02 06%3A30%3A00")
  }

  test("names match in any case, and the directory has the column's name") {
    assert(assigned(Seq("ID")).head === "id=1")
  }

  test("equal values get the same String, consecutive or not") {
    val df       = spark.range(6).coalesce(1).selectExpr("id", "concat('v', id % 2) AS k", "1 AS one")
    val assigner = PartitionColumnsBucketAssigner.bind(spark, PartitionColumns.of(df.schema, Seq("one", "k")))
    assigner.open(df.schema)
    val ids = df.queryExecution.executedPlan.executeCollect().toSeq.map(assigner.bucket(_, null))
    assert(ids.take(2) === Seq("one=1/k=v0", "one=1/k=v1"))
    for (i <- 2 until 6) assert(ids(i) eq ids(i - 2))
  }

  test("written rows have the other columns, in order and with the same names") {
    val columns = PartitionColumns.of(rows.schema, Seq("day", "id"))
    val written = TaskSerialization.toTask[DataColumns](DataColumns.without(columns))
    assert(written.schema === StructType(rows.schema.filterNot(f => Set("day", "id")(f.name))))
    val project = written.newProjection()
    for (row <- rows.queryExecution.executedPlan.executeCollect()) {
      val view = project(row)
      assert(view.numFields === 5)
      assert(view.isNullAt(1) === row.isNullAt(2))
      if (!row.isNullAt(2)) assert(view.getLong(1) === row.getLong(2))
      if (!row.isNullAt(1)) assert(view.getUTF8String(0) === row.getUTF8String(1))
      if (!row.isNullAt(6)) assert(view.getBinary(4) === row.getBinary(6))
    }
  }

  test("without partition columns, rows are written unchanged") {
    val row = rows.queryExecution.executedPlan.executeCollect().head
    assert(DataColumns.all(rows.schema).newProjection()(row) eq row)
    assert(DataColumns.all(rows.schema).schema eq rows.schema)
  }

  private def refused(schema: StructType, names: String*): String = {
    val e = intercept[Exception](PartitionColumns.of(schema, names)).asInstanceOf[SparkThrowable]
    assert(e.getCondition === "STOPLOG_OPTION_COLUMN")
    e.getMessageParameters.get("why")
  }

  test("unusable columns are rejected with a reason") {
    assert(refused(rows.schema).contains("none"))
    assert(refused(rows.schema, "nope").contains("'nope'"))
    assert(refused(rows.schema, "id", "ID").contains("twice"))
    assert(refused(StructType.fromDDL("a INT, b INT"), "a", "b").contains("no column remains"))
    for (ddl <- Seq("a ARRAY<INT>", "a MAP<INT, INT>", "a STRUCT<b: INT>", "a VARIANT"))
      assert(refused(StructType.fromDDL(s"$ddl, b INT"), "a").contains("not a single value"))
    assert(
      refused(new StructType().add("aB", "int").add("Ab", "int").add("c", "int"), "ab").contains("several")
    )
    assert(refused(new StructType().add(".a", "int").add("c", "int"), ".a").contains("readers"))
  }
}
