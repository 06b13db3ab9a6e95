// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.{SparkSessionForTests, TaskSerialization}

class ExpressionBucketAssignerSuite extends AnyFunSuite with SparkSessionForTests {

  private lazy val rows: DataFrame = spark.sql(
    """SELECT * FROM VALUES
      |  (1L, 'de', TIMESTAMP '2026-01-31 23:59:59', named_struct('x', 1, 'y', 'a'), array(1, 2), map('k', 'v')),
      |  (2L, null, TIMESTAMP '2026-07-01 00:00:00', null, null, null),
      |  (3L, '', null, named_struct('x', 3, 'y', null), array(), map())
      | AS t(id, country, at, s, list, `odd ``name.x`)""".stripMargin
  )

  private def buckets(sql: String, df: DataFrame = rows): Seq[String] = {
    val assigner =
      TaskSerialization.toTask(new ExpressionBucketAssigner(BucketExpression.bind(spark, sql, df.schema)))
    assigner.open(df.schema)
    df.queryExecution.executedPlan.executeCollect().toSeq.map(assigner.bucket(_, null))
  }

  // What Spark itself says, whatever it is.
  private def expected(sql: String): Seq[String] =
    rows
      .selectExpr(s"cast($sql as string)")
      .collect()
      .toSeq
      .map(r => if (r.isNullAt(0)) BucketId.OfNull else r.getString(0))

  for (
    sql <- Seq(
      "country", "upper(COUNTRY)", "id % 2",
      "concat('country=', upper(country), '/', date_format(at, 'yyyy-MM'))", "date(at)", "at", "s.y",
      "get(list, 0)", "try_element_at(list, 1)", "`odd ``name.x`['k']", "nvl(country, 'none')",
      "nullif(concat(country, id), 'de1')", "concat(country, id) BETWEEN 'a' AND 'z'",
      "CASE WHEN id > 1 THEN 'late' ELSE 'early' END", "date_part('year', at)",
      "to_date(date_format(at, 'yyyyMMdd'), 'yyyyMMdd')", "transform(list, x -> x + id)",
      "aggregate(list, 0, (a, x) -> a + x)", "named_struct('x', id)", "get_json_object('{\"a\": 1}', '$.a')",
      "pi()", "'all'", "1", "CAST(NULL AS STRING)", "id IN (1, 2)", "country LIKE 'd%'",
      "regexp_replace(country, 'd', 'D')", "timestampdiff(DAY, TIMESTAMP '2026-01-01', at)",
      "window(at, '1 day').start", "CAST(id AS DECIMAL(10, 2)) / 3", "-- a comment\n country"
    ).filterNot(_.startsWith("window"))
  )
    test(s"$sql gives Spark's result") {
      assert(buckets(sql) === expected(sql.replace("-- a comment\n", "")))
    }

  test("nulls go to the bucket of nulls, empty strings to the base path") {
    assert(buckets("country") === Seq("de", BucketId.OfNull, BucketId.Base))
  }

  test("a registered function of the session is available") {
    spark.udf.register("bucket_of_test", (id: Long) => s"b$id")
    assert(buckets("bucket_of_test(id)") === Seq("b1", "b2", "b3"))
  }

  test("the session's time zone applies") {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try
      assert(
        buckets("date_format(at, 'yyyy-MM-dd HH')").head === expected("date_format(at, 'yyyy-MM-dd HH')").head
      )
    finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  test("consecutive rows of the same bucket get the same String") {
    val df       = spark.range(4).selectExpr("CAST(id DIV 2 AS STRING) AS k")
    val assigner = new ExpressionBucketAssigner(BucketExpression.bind(spark, "concat('b-', k)", df.schema))
    assigner.open(df.schema)
    val ids = df.coalesce(1).queryExecution.executedPlan.executeCollect().map(assigner.bucket(_, null))
    assert(ids.toSeq === Seq("b-0", "b-0", "b-1", "b-1"))
    assert((ids(0) eq ids(1)) && (ids(2) eq ids(3)))
  }

  private def refused(sql: String): String = {
    val e = intercept[Exception](BucketExpression.bind(spark, sql, rows.schema)) match {
      case e: SparkThrowable => e
      case e                 => throw e
    }
    assert(e.getCondition === "STOPLOG_OPTION_COLUMN")
    assert(e.getMessageParameters.get("setting") === s"bucketBy = $sql")
    e.getMessageParameters.get("why")
  }

  test("invalid SQL and unknown names are rejected with Spark's reason") {
    assert(refused("concat(").contains("PARSE_SYNTAX_ERROR"))
    assert(refused("nope").contains("nope"))
    assert(refused("no_such_function(id)").contains("no_such_function"))
    assert(refused("").nonEmpty)
    assert(refused("country, id").nonEmpty)
    assert(refused("upper(*)").nonEmpty)
  }

  test("expressions with different results between task attempts are rejected") {
    for (
      sql <- Seq("rand()", "concat(country, uuid())", "monotonically_increasing_id()", "spark_partition_id()")
    )
      assert(refused(sql).contains("deterministic"))
  }

  for (
    sql <- Seq(
      "current_date()", "date_format(now(), 'HH')", "current_timestamp()", "localtimestamp()",
      "current_user()"
    ) ++
      Seq("current_database()", "unix_timestamp()")
  )
    test(s"$sql is rejected because of its dependence on time or user") {
      assert(refused(sql).contains("depends on the time"))
    }

  test("expressions over other rows are rejected") {
    for (sql <- Seq("count(*)", "max(id)", "row_number() OVER (ORDER BY id)", "explode(list)"))
      assert(refused(sql).nonEmpty)
    assert(refused("sum(id)").contains("other rows"))
    rows.createOrReplaceTempView("rows_of_test")
    assert(refused("(SELECT max(id) FROM rows_of_test)").contains("subquery"))
    assert(refused("id IN (SELECT id FROM rows_of_test)").nonEmpty)
    assert(refused("EXISTS (SELECT 1 FROM rows_of_test)").contains("subquery"))
  }

  test("a type without a string representation is rejected") {
    val variants = spark.sql("SELECT parse_json('1') AS v, INTERVAL 1 MONTH AS i").schema
    assert(BucketExpression.bind(spark, "i", variants).sql === "i")
    assert(refused("session_window(at, '5 minutes')").nonEmpty)
  }
}
