// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files

import org.apache.spark.sql.SaveMode
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** Rejected rows, by the types of their columns. */
class RejectedTypesSuite extends AnyFunSuite with SparkSessionForTests {

  private def write(sink: JdbcSinkBuilder, rows: String): Unit =
    sink.build().write(spark.sql(rows)).mode(SaveMode.Append).save()

  /** Returns the JSON of a row that the target rejects at the commit, because of its key. */
  private def rejected(database: TestDatabase, columns: (String, String)*): String = {
    val table = database.newHeap()
    val names = columns.indices.map(i => s"c$i")
    database.execute(
      s"DROP TABLE $table",
      names
        .zip(columns)
        .map { case (name, (column, _)) => s"$name $column" }
        .mkString(s"CREATE TABLE $table (id BIGINT NOT NULL PRIMARY KEY, ", ", ", ")")
    )
    val row = names.zip(columns).map { case (name, (_, value)) => s"$value AS $name" }.mkString(", ")
    write(
      JdbcSink.forTable(database.url, table).withRejectTable(s"${table}_bad"),
      s"SELECT id, $row FROM VALUES (1L), (2L), (2L) AS ids(id)"
    )
    assert(database.count(table) === 2)
    assert(database.count(s"${table}_bad") === 1)
    database.rows(s"SELECT row_json FROM ${table}_bad").head.head
  }

  test("a row that the commit rejects keeps values unreadable for Spark's own reader") {
    assert(
      rejected(TestDatabase.h2(), "DOUBLE PRECISION ARRAY" -> "array(float(1.5))", "INT" -> "7") ===
        """{"id":2,"c0":"[1.5]","c1":7}"""
    )
    spark.conf.set("spark.sql.timeType.enabled", "true")
    assert(rejected(TestDatabase.derby(), "TIME" -> "time'12:34:56'") === """{"id":2,"c0":"12:34:56"}""")
  }

  test("a row that the commit rejects keeps dates and times of SQLite's texts, and skipped local times") {
    val sqlite = TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite"))
    assert(
      rejected(
        sqlite,
        "TEXT"    -> "timestamp'2026-01-01 00:00:00.123456'",
        "TEXT"    -> "date'2026-01-01'",
        "TEXT"    -> "timestamp_ntz'2026-01-01 00:00:00.123456'",
        "INTEGER" -> "timestamp_ntz'2026-01-01 00:00:00.123'"
      ) === """{"id":2,"c0":"2026-01-01T00:00:00.123456Z","c1":"2026-01-01",""" +
        """"c2":"2026-01-01 00:00:00.123456","c3":"2026-01-01T00:00:00.123000"}"""
    )
    Zones.in("Europe/Berlin") {
      assert(
        rejected(TestDatabase.h2(), "TIMESTAMP" -> "timestamp_ntz'2026-03-29 02:30:00'") ===
          """{"id":2,"c0":"2026-03-29 02:30:00"}"""
      )
    }
  }

  test("a string that is not valid UTF-8 is a bad row, so that two keys do not become one") {
    val rows = "SELECT string(bytes) AS id, word FROM VALUES (X'FF', 'a'), (X'FE', 'b') AS t(bytes, word)"
    for (
      database <- Seq(TestDatabase.derby(), TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))
    ) {
      val table = database.newHeap()
      database.execute(
        s"DROP TABLE $table",
        s"CREATE TABLE $table (id VARCHAR(10) NOT NULL PRIMARY KEY, word ${database.text})"
      )
      val sink = JdbcSink.forTable(database.url, table).withUpsert("id")
      assert(Thrown.text(intercept[Exception](write(sink, rows))).contains("is not valid UTF-8"))
      write(sink.withRejectTable(s"${table}_bad"), rows)
      assert(database.count(table) === 0)
      assert(database.count(s"${table}_bad") === 2)
    }
  }
}
