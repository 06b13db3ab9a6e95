// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** Overwrites by conditions on partition columns of each type: the same partitions as a reader selects. */
class PartitionValuesSuite extends AnyFunSuite with SparkSessionForTests {

  private def write(place: TestDirectory, rows: Seq[String], options: (String, String)*): Unit = spark
    .sql(
      rows.zipWithIndex.map { case (value, id) => s"SELECT $id AS id, $value AS p" }.mkString(" UNION ALL ")
    )
    .write
    .format("stoplog")
    .option("format", "json")
    .option("partitionBy", "p")
    .options(options.toMap)
    .mode(if (options.exists(_._1 == "replaceWhere")) "overwrite" else "append")
    .save(place.out)

  /** Deletes what the condition selects, and returns the ids of the remaining rows by the file source. */
  private def without(values: Seq[String], dataType: String, condition: String, zone: String*): Set[Int] = {
    val place   = new TestDirectory
    val options = zone.map("timeZone" -> _)
    write(place, values, options: _*)
    val empty = spark.sql(s"SELECT 1 AS id, CAST(NULL AS $dataType) AS p").where("false")
    empty.write
      .format("stoplog")
      .option("format", "json")
      .option("partitionBy", "p")
      .option("replaceWhere", condition)
      .options(options.toMap)
      .mode("overwrite")
      .save(place.out)
    spark.read
      .format("stoplog")
      .option("format", "json")
      .options(options.toMap)
      .schema(s"id INT, p $dataType")
      .load(place.out)
      .select("id")
      .collect()
      .map(_.getInt(0))
      .toSet
  }

  private def selects(dataType: String, values: String*)(conditions: (String, Set[Int])*): Unit =
    for ((condition, expected) <- conditions)
      test(s"$condition on a partition column of $dataType selects ${expected.size} of ${values.size}") {
        assert(without(values, dataType, condition) === values.indices.toSet -- expected)
      }

  selects("STRING", "'a'", "CAST(NULL AS STRING)", "' '", "'x=y/z'", "'%41'", "'ü ä'", "'A'")(
    "p = 'a'"                               -> Set(0),
    "p IS NULL"                             -> Set(1),
    "p <=> NULL"                            -> Set(1),
    "p = ''"                                -> Set.empty,
    "p = 'x=y/z'"                           -> Set(3),
    "p IN ('%41', 'ü ä')"                   -> Set(4, 5),
    "p <> 'a'"                              -> Set(2, 3, 4, 5, 6),
    "NOT (p = 'a')"                         -> Set(2, 3, 4, 5, 6),
    "p = 'a' OR p IS NULL"                  -> Set(0, 1),
    "p IS NOT NULL AND p NOT IN ('a', 'A')" -> Set(2, 3, 4, 5),
    "p IS NOT NULL"                         -> Set(0, 2, 3, 4, 5, 6)
  )

  selects("DATE", "DATE '2026-01-01'", "DATE '2026-01-02'", "CAST(NULL AS DATE)", "DATE '1582-10-15'")(
    "p = '2026-01-02'"                             -> Set(1),
    "p = DATE '2026-01-01' + INTERVAL 1 DAY"       -> Set(1),
    "p BETWEEN DATE '2025-12-31' AND '2026-01-01'" -> Set(0),
    "DATE '2026-01-01' > p"                        -> Set(3),
    "p > DATE '2026-01-01' OR p IS NULL"           -> Set(1, 2),
    "true"                                         -> Set(0, 1, 2, 3),
    "false"                                        -> Set.empty
  )

  selects("INT", "10", "9", "-1", "CAST(NULL AS INT)")(
    "p > 9"   -> Set(0),
    "p < 10"  -> Set(1, 2),
    "p >= 9"  -> Set(0, 1),
    "-1 = p"  -> Set(2),
    "p = '9'" -> Set(1)
  )

  selects("BOOLEAN", "true", "false", "CAST(NULL AS BOOLEAN)")(
    "p"           -> Set(0),
    "NOT p"       -> Set(1),
    "p <=> false" -> Set(1)
  )

  selects("DECIMAL(10,2)", "1.50BD", "CAST(10 AS DECIMAL(10,2))", "CAST(2 AS DECIMAL(10,2))")(
    "p = 1.5"                      -> Set(0),
    "p > CAST(2 AS DECIMAL(10,2))" -> Set(1)
  )

  selects("TIMESTAMP", "TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP '2026-01-01 12:30:00.25'")(
    "p = TIMESTAMP '2026-01-01 12:30:00.25'" -> Set(1),
    "p < TIMESTAMP '2026-01-01 00:00:01'"    -> Set(0)
  )

  selects("FLOAT", "CAST(1.5 AS FLOAT)", "CAST(-2 AS FLOAT)", "CAST(NULL AS FLOAT)")(
    "p = CAST(1.5 AS FLOAT)" -> Set(0),
    "p < 0"                  -> Set(1)
  )

  selects("DOUBLE", "1.5D", "DOUBLE('NaN')", "-0.0D", "1e300D")(
    "p > 1e10D"         -> Set(1, 3),
    "p = 0D"            -> Set(2),
    "p = DOUBLE('NaN')" -> Set(1)
  )

  selects("BINARY", "X'61'", "X'62'", "CAST(NULL AS BINARY)")(
    "p = X'61'" -> Set(0),
    "p > X'61'" -> Set(1)
  )

  selects("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '2026-01-01 00:00:00'", "TIMESTAMP_NTZ '2026-01-01 12:30:00.25'")(
    "p = TIMESTAMP_NTZ '2026-01-01 12:30:00.25'" -> Set(1),
    "p < TIMESTAMP_NTZ '2026-01-01 00:00:01'"    -> Set(0)
  )

  selects("TINYINT", "CAST(1 AS TINYINT)", "CAST(-1 AS TINYINT)")("p > 0" -> Set(0))

  selects("SMALLINT", "CAST(1 AS SMALLINT)", "CAST(-1 AS SMALLINT)")("p IN (1, 5)" -> Set(0))

  selects("BIGINT", "1L", "-1L")("p > 0" -> Set(0), "p = 99999999999" -> Set.empty)

  selects("INTERVAL DAY", "INTERVAL '1' DAY", "INTERVAL '2' DAY")("p > INTERVAL '1' DAY" -> Set(1))

  selects("INTERVAL YEAR", "INTERVAL '1' YEAR", "INTERVAL '2' YEAR")("p > INTERVAL '1' YEAR" -> Set(1))

  test("the option timeZone names and selects the same instants") {
    val values    = Seq("TIMESTAMP '2026-07-01 00:00:00Z'", "TIMESTAMP '2026-07-01 01:00:00Z'")
    val condition = "p = TIMESTAMP '2026-07-01 01:00:00Z'"
    assert(without(values, "TIMESTAMP", condition, "Asia/Kolkata") === Set(0))
  }

  test("a row with the empty string, which readers take for null, is rejected") {
    val place = new TestDirectory
    write(place, Seq("'a'", "CAST(NULL AS STRING)"))
    for (overwrite <- Seq(Seq.empty, Seq("replaceWhere" -> "p IS NULL"), Seq("replaceWhere" -> "p = ''"))) {
      val error = intercept[Exception](write(place, Seq("''"), overwrite: _*))
      assert(Thrown.text(error).contains("STOPLOG_BUCKET_ID"))
    }
    assert(place.files.size === 2)
  }

  test("a directory whose value has another type fails the job, as it fails a reader") {
    val place = new TestDirectory
    write(place, Seq("1", "2"))
    new java.io.File(place.out, "p=abc").mkdir()
    val error = intercept[Exception](write(place, Seq("1"), "replaceWhere" -> "p = 1"))
    assert(Thrown.text(error).contains("STOPLOG_PARTITION_CONDITION"))
    assert(place.files.size === 2)
  }

  for {
    isAnsi   <- Seq(true, false)
    dataType <- Seq("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL DAY")
  }
    test(s"a directory without a value of $dataType is not NULL, with spark.sql.ansi.enabled=$isAnsi") {
      spark.conf.set("spark.sql.ansi.enabled", isAnsi)
      try {
        val place = new TestDirectory
        write(place, Seq("'abc'", "'def'"))
        val nothing = spark.sql(s"SELECT 1 AS id, CAST(NULL AS $dataType) AS p").where("false").write
        val write0  = nothing.format("stoplog").option("format", "json").option("partitionBy", "p")
        val job     = intercept[Exception](
          write0.option("replaceWhere", "p IS NULL").mode("overwrite").save(place.out)
        )
        assert(Thrown.text(job).contains("STOPLOG_PARTITION_CONDITION"))
        assert(place.files.size === 2)
        val read = spark.read.format("stoplog").option("format", "json").schema(s"id INT, p $dataType")
        assert(
          Thrown
            .text(intercept[Exception](read.load(place.out).collect()))
            .contains("STOPLOG_SOURCE_FILE_UNREADABLE")
        )
      } finally spark.conf.unset("spark.sql.ansi.enabled")
    }

  test("two partition columns: only directories that can satisfy the condition are entered") {
    val place             = new TestDirectory
    def rows(offset: Int) = spark
      .sql(s"SELECT id + $offset AS id, id % 2 AS a, id % 3 AS b FROM range(6)")
      .write
      .format("stoplog")
      .option("format", "json")
      .option("partitionBy", "a,b")
    rows(0).mode("append").save(place.out)
    new java.io.File(place.out, "a=1/b=2/.hidden").mkdirs()
    new java.io.File(place.out, "a=0/b=nothing").mkdirs() // is never parsed
    spark
      .sql("SELECT 70 AS id, 1 AS a, 2 AS b")
      .write
      .format("stoplog")
      .option("format", "json")
      .option("partitionBy", "a,b")
      .option("replaceWhere", "a = 1 AND b = 2")
      .mode("overwrite")
      .save(place.out)
    assert(place.lines === (Seq(0, 1, 2, 3, 4).map(id => s"""{"id":$id}""") :+ """{"id":70}""").sorted)
  }
}
