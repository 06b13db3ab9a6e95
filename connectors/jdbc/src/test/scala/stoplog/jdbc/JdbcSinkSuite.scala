// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files
import java.sql.Timestamp

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.spark.StageOutput

/** What a user does, through Spark. */
class JdbcSinkSuite extends AnyFunSuite with SparkSessionForTests {
  private lazy val derby = TestDatabase.derby()

  private def sink(table: String, database: TestDatabase = derby): JdbcSinkBuilder =
    JdbcSink.forTable(database.url, table)

  private def checkpoint(): String = Files.createTempDirectory("stoplog-checkpoint").toString

  private def words(from: Long, until: Long): DataFrame =
    spark.range(from, until).selectExpr("id", "concat('w', id) AS word")

  private def run(
      sink: JdbcSink,
      rows: DataFrame,
      checkpoint: String,
      mode: String = "append"
  ): StreamingQuery = {
    val query = sink
      .writeStream(rows)
      .option("checkpointLocation", checkpoint)
      .outputMode(mode)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    query
  }

  test("a stream of transactional inserts writes each row once over two starts") {
    val session = spark
    import session.implicits._
    val table  = derby.newHeap()
    val source = MemoryStream[Long](session)
    val rows   = source.toDF().selectExpr("value AS id", "concat('w', value) AS word")
    val at     = checkpoint()
    source.addData(1L to 50L: _*)
    val first = run(sink(table).build(), rows, at)
    source.addData(51L to 60L: _*)
    run(sink(table).build(), rows, at)
    assert(derby.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt) === (1 to 60))
    val metrics = first.lastProgress.sink.metrics.asScala
    assert(metrics("writtenRows") === "50")
    assert(metrics("epochsCommitted") === "1")
    assert(first.lastProgress.sink.description.startsWith("stoplog[jdbc:derby:"))
  }

  test("a stream of upserts in update mode writes a row for each key") {
    val session = spark
    import session.implicits._
    val table  = derby.newTable()
    val source = MemoryStream[Long](session)
    val counts = source.toDF().groupBy($"value" % 5 as "id").count().selectExpr("id", "string(count) AS word")
    val at     = checkpoint()
    val upsert = sink(table).withUpsert("id").withMaxWriters(2).build()
    source.addData(0L until 50L: _*)
    run(upsert, counts, at, "update")
    source.addData(0L until 5L: _*)
    run(upsert, counts, at, "update")
    assert(derby.rows(s"SELECT id, word FROM $table ORDER BY id") === (0 to 4).map(id => Seq(s"$id", "11")))
  }

  test("complete mode replaces all rows in the epoch's transaction, and upserts reject it") {
    val session = spark
    import session.implicits._
    val table  = derby.newTable()
    val source = MemoryStream[Long](session)
    val counts = source.toDF().groupBy($"value" as "id").count().selectExpr("id", "string(count) AS word")
    val at     = checkpoint()
    source.addData(1L, 2L)
    run(sink(table).build(), counts, at, "complete")
    source.addData(2L, 3L)
    run(sink(table).build(), counts, at, "complete")
    assert(
      derby
        .rows(s"SELECT id, word FROM $table ORDER BY id") === Seq(Seq("1", "1"), Seq("2", "2"), Seq("3", "1"))
    )
    source.addData(4L)
    val e = intercept[StreamingQueryException](
      run(sink(table).withUpsert("id").build(), counts, checkpoint(), "complete")
    )
    assert(Thrown.conditions(e).contains("STOPLOG_UNSUPPORTED"))
  }

  test("batch writes append, upsert and overwrite, and leave no sink state") {
    val table = derby.newTable()
    assert(StageOutput.of(spark)(sink(table).build().write(words(0, 20)).save()).rows === 20)
    sink(table).withUpsert("ID").build().write(words(10, 30)).save()
    assert(derby.count(table) === 30)
    sink(table).build().write(words(5, 8)).mode(SaveMode.Overwrite).save()
    assert(derby.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt) === Seq(5, 6, 7))
    assert(derby.rows(s"SELECT sink_name FROM stoplog_epochs WHERE sink_name LIKE '$table/%'") === Nil)
  }

  test("a failed batch job leaves the table unchanged") {
    val table = derby.newTable()
    sink(table).build().write(words(0, 3)).save()
    intercept[Exception](sink(table).build().write(words(2, 9)).save())
    assert(derby.count(table) === 3)
  }

  test("rejected rows of a stream appear once with their reason, from tasks or commit") {
    val session = spark
    import session.implicits._
    for (upsert <- Seq(true, false)) {
      val table  = derby.newTable(" CHECK (word <> 'w3')")
      val source = MemoryStream[Long](session)
      val rows   = source
        .toDF()
        .selectExpr(
          "value AS id",
          "if(value = 7, repeat('x', 200), concat('w', value)) AS word",
          "map('a', 1) AS unused"
        )
        .drop("unused")
      val base = sink(table).withRejectTable(s"${table}_bad")
      source.addData(0L until 10L: _*)
      val query = run((if (upsert) base.withUpsert("id") else base).build(), rows, checkpoint())
      assert(
        derby.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt) === Seq(0, 1, 2, 4, 5, 6, 8, 9)
      )
      val bad = derby.rows(s"SELECT row_json, batch, reason FROM ${table}_bad").sortBy(_.head)
      assert(bad.map(_(0)) === Seq("{\"id\":3,\"word\":\"w3\"}", s"{\"id\":7,\"word\":\"${"x" * 200}\"}"))
      assert(bad.forall(_(1) == "0"))
      assert(query.lastProgress.sink.metrics.get("rejectedRows") === "2")
      assert(query.lastProgress.sink.metrics.get("writtenRows") === "8")
    }
  }

  test("two sinks with a common reject table keep separate entries without duplicates") {
    val tables = Seq.fill(2)(derby.newTable(" CHECK (word <> 'w3')"))
    val bad    = s"${tables.head}_shared"
    for {
      _     <- 1 to 2
      table <- tables
    } sink(table).withUpsert("id").withRejectTable(bad).build().write(words(0, 5)).save()
    val rejected = derby.rows(s"SELECT sink_name, row_json FROM $bad")
    assert(
      rejected.sortBy(_.head) === tables.sorted.map(table =>
        Seq(s"$table/main", "{\"id\":3,\"word\":\"w3\"}")
      )
    )
  }

  for (database <- Seq(derby, TestDatabase.h2(), TestDatabase.postgres, TestDatabase.mariaDb))
    test(s"$database: values and nulls of all types are written, staged or not") {
      val real   = if (database.name == "MariaDB") "DOUBLE" else "DOUBLE PRECISION"
      val binary = database.name match {
        case "Derby"      => "VARCHAR(10) FOR BIT DATA"
        case "PostgreSQL" => "BYTEA"
        case _            => "VARBINARY(10)"
      }
      val more =
        s", b BOOLEAN, s SMALLINT, i INT, f REAL, d $real, n DECIMAL(10,2), dy DATE, ts TIMESTAMP NULL, x $binary"
      val fit  = if (database.name == "Derby") more.replace("TIMESTAMP NULL", "TIMESTAMP") else more
      val rows = spark.sql(
        """SELECT 1L AS id, 'é' AS word, true AS b, 2S AS s, 3 AS i, 0.5F AS f, 0.25D AS d,
          |  CAST(12.34 AS DECIMAL(10,2)) AS n, DATE'2026-02-03' AS dy, TIMESTAMP'2026-02-03 04:05:06' AS ts,
          |  CAST('ab' AS BINARY) AS x
          |UNION ALL SELECT 2L, null, null, null, null, null, null, null, null, null, null""".stripMargin
      )
      for (upsert <- Seq(true, false)) {
        val table = database.newTable(fit)
        val base  = sink(table, database)
        (if (upsert) base.withUpsert("id") else base).build().write(rows).save()
        // Spark's own reader knows MariaDB only by the other name.
        val url = database.url
          .replace("jdbc:mariadb:", "jdbc:mysql:")
          .replace("?user=root", "?user=root&permitMysqlScheme")
        val back =
          spark.read.format("jdbc").options(Map("url" -> url, "dbtable" -> table)).load().orderBy("id")
        val one = back.head()
        assert(one.getAs[String](1) === "é")
        assert(one.getAs[java.math.BigDecimal](7) === new java.math.BigDecimal("12.34"))
        assert(one.getAs[java.sql.Date](8).toString === "2026-02-03")
        assert(one.getAs[Timestamp](9) === Timestamp.valueOf("2026-02-03 04:05:06"))
        assert(new String(one.getAs[Array[Byte]](10)) === "ab")
        assert((1 to 10).forall(back.collect()(1).isNullAt))
      }
    }

  test("PostgreSQL: writes arrays, uuid, json and both kinds of timestamps") {
    val postgres = TestDatabase.postgres
    val table    = postgres.newTable(", u UUID, j JSONB, l TEXT[], z TIMESTAMPTZ, p TIMESTAMP")
    val rows     = spark.sql(
      """SELECT 1L AS id, 'w' AS word, '0189d6f0-0000-7000-8000-000000000001' AS u, '{"a": 1}' AS j,
        |  array('x', null) AS l, TIMESTAMP'2026-02-03 04:05:06' AS z, TIMESTAMP_NTZ'2026-02-03 04:05:06' AS p""".stripMargin
    )
    sink(table, postgres).build().write(rows).save()
    assert(
      postgres.rows(s"SELECT u, j, l, p FROM $table") ===
        Seq(Seq("0189d6f0-0000-7000-8000-000000000001", "{\"a\": 1}", "{x,NULL}", "2026-02-03 04:05:06"))
    )
  }

  test("PostgreSQL: values written in arrays equal values written individually") {
    val postgres = TestDatabase.postgres
    val more     =
      ", u UUID, j JSONB, z TIMESTAMPTZ, p TIMESTAMP, dy DATE, n NUMERIC(30,5), x BYTEA, b BOOLEAN, f REAL"
    val rows = spark
      .range(40)
      .selectExpr(
        "id", "if(id % 3 = 0, null, concat('a\"{},\\\\ ', id, chr(10), 'é')) AS word",
        "concat('0189d6f0-0000-7000-8000-0000000000', 10 + id) AS u", "concat('{\"a\": ', id, '}') AS j",
        "TIMESTAMP'2026-10-25 00:30:00' + make_interval(0, 0, 0, 0, id) AS z",
        "CAST(if(id = 39, '0044-03-15 00:00:00', '2026-02-03 04:05:06.789') AS TIMESTAMP_NTZ) AS p",
        "date_add(DATE'2026-02-03', int(id)) AS dy", "CAST(id * 100000 AS DECIMAL(30,5)) AS n",
        "CAST(concat('b', id) AS BINARY) AS x", "id % 2 = 0 AS b",
        "if(id = 1, float('nan'), float(id / 8)) AS f"
      )
    def written(size: String) = {
      val table = postgres.newTable(more)
      sink(table, postgres)
        .withUpsert("id")
        .withOption("batchsize", size)
        .build()
        .write(rows.limit(39))
        .save()
      sink(table, postgres).withUpsert("id").withOption("batchsize", size).build().write(rows).save()
      postgres.rows(s"SELECT * FROM $table ORDER BY id")
    }
    assert(written("40").size === 40)
    assert(written("40") === written("1"))
  }

  test("rejects invalid columns, tables and servers at the start, all together", LongRun.Only) {
    val e = intercept[Exception](
      sink(derby.newTable())
        .withUpsert("word")
        .build()
        .write(words(0, 1).selectExpr("word AS id", "word", "id AS x"))
        .save()
    )
    assert(Thrown.conditions(e).contains("STOPLOG_ROW_COLUMNS"))
    assert(e.getMessage.contains("(3)"))
    val gone = intercept[Exception](sink("nowhere").build().write(words(0, 1)).save())
    assert(Thrown.conditions(gone).contains("STOPLOG_ROW_COLUMNS"))
    val off = intercept[IllegalArgumentException](
      JdbcSink.forTable("jdbc:postgresql://127.0.0.1:1/x", "t").build().write(words(0, 1)).save()
    )
    assert(Thrown.conditions(off).contains("STOPLOG_UNREACHABLE"))
  }

  test("rejects continuous processing by name") {
    val rate = spark.readStream.format("rate").load().selectExpr("value AS id", "string(value) AS word")
    val e    = intercept[Exception] {
      val query = sink(derby.newHeap())
        .build()
        .writeStream(rate)
        .option("checkpointLocation", checkpoint())
        .outputMode(OutputMode.Append())
        .trigger(Trigger.Continuous(1000))
        .start()
      query.awaitTermination()
    }
    assert(Thrown.conditions(e).contains("STOPLOG_UNSUPPORTED"))
  }
}
