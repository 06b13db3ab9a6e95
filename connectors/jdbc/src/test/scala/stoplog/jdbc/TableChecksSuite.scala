// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files
import java.sql.{Connection, DatabaseMetaData, SQLException, SQLFeatureNotSupportedException}
import java.time.{LocalDateTime, ZoneOffset}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.jdbc.client.ConnectionSource
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.rows.RowKey
import stoplog.jdbc.table.{RowColumn, TableCheck, TargetTable}
import stoplog.jdbc.types.ColumnType
import stoplog.jdbc.types.ColumnType.{Fixed, ListOf, Parsed}
import stoplog.jdbc.write.JdbcWriteSpec

class TableChecksSuite extends AnyFunSuite {
  private val ids   = RowColumn("ID", LongType)
  private val words = RowColumn("word", StringType)

  private val databases = Seq(TestDatabase.derby(), TestDatabase.h2())

  private def problems(database: TestDatabase, table: String, rows: Seq[RowColumn], keys: String*) = {
    val found = Using.resource(database.open())(TargetTable.inspect(_, table, database.dialect))
    TableCheck.problems(found, rows, keys, database.dialect)
  }

  for (database <- databases) {
    test(s"$database: accepts rows that match the table") {
      val table = database.newTable(", moment TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL")
      assert(problems(database, table, Seq(ids, words), "id") === Nil)
      assert(problems(database, table, Seq(ids)) === Nil)
    }

    test(s"$database: reports all mismatches together") {
      val table = database.newTable(", must INT NOT NULL")
      val said  = problems(
        database,
        table,
        Seq(
          ids.copy(dataType = StringType),
          words,
          RowColumn("more", StringType)
        ),
        "word",
        "none"
      ).mkString("\n")
      assert(said.contains("has no column 'more'"))
      assert(said.contains("and the column of the rows is string"))
      assert(said.toLowerCase.contains("column 'must' cannot be null"))
      assert(said.contains("The rows have no column 'none'"))
    }

    test(s"$database: rejects fractions for columns of whole numbers") {
      val table =
        database.newTable(", small SMALLINT, number INT, exact DECIMAL(10, 0), wide DOUBLE PRECISION")
      def refused(column: String, kind: DataType) =
        problems(database, table, Seq(ids, RowColumn(column, kind)))
      for {
        fraction <- Seq(DecimalType(10, 2), FloatType, DoubleType)
        whole    <- Seq("id", "small", "number")
      } assert(
        refused(whole, fraction).mkString.contains(s"the column of the rows is ${fraction.simpleString}")
      )
      for (fits <- Seq("exact", "wide")) assert(refused(fits, DecimalType(10, 2)) === Nil)
      assert(refused("number", DecimalType(9, 0)) === Nil)
    }

    test(s"$database: keys must be a whole primary key or unique index, in any order") {
      val table = database.newTable(", a INT NOT NULL, b INT NOT NULL, UNIQUE (a, b)")
      val rows  = Seq(ids, words, RowColumn("a", IntegerType), RowColumn("b", IntegerType))
      assert(problems(database, table, rows, "b", "a") === Nil)
      assert(problems(database, table, rows, "a").mkString.contains("are not a primary key or unique index"))
    }
  }

  test("tables whose names match as a pattern are ignored") {
    for (database <- databases) {
      database.execute(
        "CREATE SCHEMA a_b", "CREATE SCHEMA axb", "CREATE TABLE a_b.my_t (id BIGINT NOT NULL PRIMARY KEY)",
        "CREATE TABLE a_b.myxt (id BIGINT NOT NULL PRIMARY KEY, other INT NOT NULL)",
        "CREATE TABLE axb.my_t (id BIGINT NOT NULL PRIMARY KEY, more INT NOT NULL)"
      )
      assert(problems(database, "a_b.my_t", Seq(ids), "id") === Nil)
    }
  }

  test("quotes names that contain quotation marks") {
    for (database <- databases) {
      val dialect = org.apache.spark.sql.jdbc.JdbcDialects.get(database.url)
      val name    = TableCheck.quoted("a\"b.c", dialect)
      database.execute(s"CREATE TABLE q ($name INT)", s"INSERT INTO q ($name) VALUES (1)")
      val found = Using.resource(database.open())(TargetTable.inspect(_, "q", database.dialect))
      assert(found.columns.map(_.name) === Seq("a\"b.c"))
    }
  }

  test("checks the keys of a table whose name contains quotation marks") {
    for (database <- databases) {
      val name = "\"a\"\"b.c\""
      database.execute(s"CREATE TABLE $name (id BIGINT NOT NULL PRIMARY KEY, word VARCHAR(9))")
      assert(problems(database, name, Seq(ids, words), "id") === Nil)
      assert(problems(database, name, Seq(ids, words), "word").mkString.contains("not a primary key"))
    }
  }

  test("a driver without metadata rejects nothing, and a lost connection is an error") {
    def inspected(database: TestDatabase, failing: SQLException) = {
      val table = database.newTable()
      Using.resource(database.open()) { real =>
        val meta = JdbcProxy[DatabaseMetaData](real.getMetaData) { case "getIndexInfo" => throw failing }
        TargetTable.inspect(
          JdbcProxy[Connection](real) { case "getMetaData" => meta },
          table,
          database.dialect
        )
      }
    }
    for (database <- databases) {
      assert(inspected(database, new SQLFeatureNotSupportedException("no")).keys === None)
      val lost = new SQLException("connection reset", "08006")
      assert(intercept[SQLException](inspected(database, lost)) eq lost)
    }
  }

  test("waits for a database that restarts, within retryTimeout") {
    for (database <- databases) {
      val table                     = database.newTable()
      def connecting(failures: Int) = {
        val left = new AtomicInteger(failures)
        new ConnectionSource {
          override def open(): Connection =
            if (left.getAndDecrement() > 0)
              throw new SQLException("the database system is starting up", "57P03")
            else database.open()
        }
      }
      val options                               = Map("url" -> database.url, "dbtable" -> table)
      def check(failures: Int, timeout: String) = TableCheck.target(
        JdbcOptions.parse((options + ("retryTimeout" -> timeout)).asJava),
        new StructType().add("id", LongType),
        connecting(failures)
      )
      assert(check(2, "1m").columns.size === 1)
      assert(intercept[StoplogArgumentException](check(1, "0s")).getCondition === "STOPLOG_UNREACHABLE")
    }
  }

  test("points in time become local times in the zone of the JVM that checks the table") {
    val schema  = new StructType().add("id", LongType).add("at", TimestampType)
    val at      = LocalDateTime.parse("2026-07-01T10:00").toInstant(ZoneOffset.UTC)
    val instant = InternalRow(1L, at.getEpochSecond * 1000000)
    val h2      = databases(1)
    val table   = h2.newTable(", at TIMESTAMP")
    val options = JdbcOptions.parse(Map("url" -> h2.url, "dbtable" -> table).asJava)
    val spec    = Zones.in("Europe/Berlin") {
      JdbcWriteSpec.of(options, schema, TableCheck.target(options, schema, h2.connector), h2.connector)
    }
    Zones.in("Asia/Tokyo") {
      assert(spec.values.of(instant).values(1) === LocalDateTime.parse("2026-07-01T12:00"))
    }
    val repeated = LocalDateTime.parse("2026-10-25T00:30").toInstant(ZoneOffset.UTC).getEpochSecond * 1000000
    assert(spec.values.of(InternalRow(1L, repeated)).fault.get.why.contains("is one of two instants"))
  }

  test("key columns and the version are found by their exact names") {
    val schema  = StructType.fromDDL("ID BIGINT, id BIGINT, V BIGINT, v BIGINT")
    val h2      = databases(1)
    val columns = """"ID" BIGINT NOT NULL, "id" BIGINT NOT NULL PRIMARY KEY, "V" BIGINT, "v" BIGINT"""
    h2.execute(s"CREATE TABLE exact_names ($columns)")
    def spec(key: String, version: String) = {
      val options = Map("url" -> h2.url, "dbtable" -> "exact_names", "keyColumns" -> key)
      val parsed  = JdbcOptions.parse((options + ("versionColumn" -> version)).asJava)
      JdbcWriteSpec.of(parsed, schema, TableCheck.target(parsed, schema, h2.connector), h2.connector)
    }
    assert(spec("id", "v").key === Some(RowKey(Vector(1), Some(3))))
    assert(spec("id", "V").key === Some(RowKey(Vector(1), Some(2))))
    val refused = intercept[StoplogArgumentException](spec("ID", "v")).getMessage
    assert(refused.contains("The columns ID are not a primary key"))
  }

  test("an empty text is a bad row if the database stores it as null") {
    val database = new TestDatabase("H2", s"${TestDatabase.h2().url};MODE=Oracle")
    for (h2 <- Seq(database, databases(1))) {
      val table   = h2.newHeap()
      val options = JdbcOptions.parse(Map("url" -> h2.url, "dbtable" -> table).asJava)
      val schema  = StructType.fromDDL("word STRING, id BIGINT")
      val target  = TableCheck.target(options, schema, h2.connector)
      val values  = JdbcWriteSpec.of(options, schema, target, h2.connector).values
      val faults  = Seq("", " ").map(text => values.of(InternalRow(UTF8String.fromString(text), 0L)).fault)
      assert(faults.map(_.isDefined) === Seq(h2 eq database, false))
    }
  }

  test("a version that SQLite would compare as text is rejected") {
    val database = TestDatabase.sqlite(Files.createTempDirectory("stoplog-version"))
    database.execute("CREATE TABLE v (id BIGINT PRIMARY KEY, bare, number NUMERIC, word TEXT)")
    def check(column: String, kind: String) = {
      val options = Map("url" -> database.url, "dbtable" -> "v", "keyColumns" -> "id")
      TableCheck.target(
        JdbcOptions.parse((options + ("versionColumn" -> column)).asJava),
        StructType.fromDDL(s"id BIGINT, $column $kind"),
        database.connector
      )
    }
    for ((column, kind) <- Seq("bare" -> "BIGINT", "number" -> "DECIMAL(9, 2)")) check(column, kind)
    for ((column, kind) <- Seq("bare" -> "DECIMAL(9, 2)", "word" -> "BIGINT"))
      assert(
        intercept[StoplogArgumentException](check(column, kind)).getMessage.contains("The versionColumn")
      )
  }

  test("a domain of PostgreSQL counts as its base type") {
    val database = TestDatabase.postgres
    val table    = s"${database.newHeap()}_d"
    database.execute(
      "CREATE DOMAIN exact AS numeric(5, 2)",
      "CREATE DOMAIN exacter AS exact CHECK (VALUE > 0)",
      s"CREATE TABLE $table (a exact, b exacter, c exact[], d exacter[], e point, f int[])"
    )
    val found = Using.resource(database.open())(TargetTable.inspect(_, table, database.dialect))
    val fixed = Fixed(5, 2)
    assert(
      found.columns.map(_.catalog.columnType) === Seq(fixed, fixed, ListOf(fixed, "numeric(5,2)")) ++
        Seq(ListOf(fixed, "numeric(5,2)"), Parsed("point"), ListOf(ColumnType.signed(32), "integer"))
    )
  }

  test("finds a table in a schema by SQL spelling") {
    val derby = databases.head
    derby.execute("CREATE SCHEMA s", "CREATE TABLE s.t (id BIGINT NOT NULL PRIMARY KEY)")
    assert(problems(derby, "s.t", Seq(ids), "id") === Nil)
    assert(problems(derby, "S.\"T\"", Seq(ids), "id") === Nil)
  }
}
