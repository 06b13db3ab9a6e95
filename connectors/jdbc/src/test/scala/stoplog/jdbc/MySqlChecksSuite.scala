// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{DriverManager, SQLException}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.jdbc.client.{ConnectionSource, FailureKind}
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.table.{TableCheck, Target, TargetTable}
import stoplog.jdbc.write.JdbcWriteSpec

/** Start checks of properties that only MySQL and MariaDB have. */
class MySqlChecksSuite extends AnyFunSuite {
  private lazy val database = TestDatabase.mariaDb

  test("a session whose sql_mode is not strict is rejected") {
    val table = newTable("word VARCHAR(5)")
    for (mode <- Seq("", "NO_ENGINE_SUBSTITUTION"))
      assert(refused(table, "word STRING", s"sql_mode = '$mode'").contains("add STRICT_TRANS_TABLES"))
    for (mode <- Seq("STRICT_TRANS_TABLES", "ANSI_QUOTES,STRICT_ALL_TABLES"))
      check(table, "word STRING", s"sql_mode = '$mode'")
  }

  test("upserts into a table without transactions need STRICT_ALL_TABLES") {
    val table = newTable("word VARCHAR(5)")
    database.execute(s"ALTER TABLE $table ENGINE=MyISAM")
    assert(
      refused(table, "word STRING", "sql_mode = 'STRICT_TRANS_TABLES'").contains("add STRICT_ALL_TABLES")
    )
    check(table, "word STRING", "sql_mode = 'STRICT_ALL_TABLES'")
  }

  test("a session whose server would convert texts from another character set is rejected") {
    val table = newTable("word VARCHAR(5)")
    for (name <- Seq("latin1", "utf8mb3"))
      assert(refused(table, "word STRING", s"character_set_client = $name").contains(s"is $name"))
    check(table, "word STRING", "character_set_client = utf8mb4")
  }

  test("the first characters of a column are no key of the column") {
    val table = s"${database.newHeap()}_p"
    database.execute(s"CREATE TABLE $table (id BIGINT, word VARCHAR(9) NOT NULL, UNIQUE (word(3)))")
    val why = refusedByKeys(table, "word STRING", keys = "word")
    assert(why.contains("not a primary key or unique index of the table; it has (word(3))"))
    val second = s"${database.newHeap()}_s"
    database.execute(
      s"CREATE TABLE $second (id BIGINT PRIMARY KEY, word TEXT, UNIQUE (word(3), id), KEY (word(2)))"
    )
    assert(refusedByKeys(second, "word STRING", keys = "id") === "")
    val primary = s"${database.newHeap()}_k"
    database.execute(s"CREATE TABLE $primary (id BIGINT, word TEXT, PRIMARY KEY (word(3)))")
    assert(refusedByKeys(primary, "word STRING", keys = "word").contains("(word(3))"))
  }

  test("a session in another zone than the JVM is rejected for TIMESTAMP columns only") {
    val zoned = newTable("at TIMESTAMP(6) NULL")
    val local = newTable("at DATETIME(6)")
    Zones.in("Europe/Berlin") {
      for (zone <- Seq("+00:00", "+01:00", "+02:00")) {
        val why = refused(zoned, "at TIMESTAMP", s"time_zone = '$zone'")
        assert(why.contains(s"time zone $zone") && why.contains("local times of Europe/Berlin"))
        check(local, "at TIMESTAMP", s"time_zone = '$zone'")
        check(local, "at TIMESTAMP_NTZ", s"time_zone = '$zone'")
      }
    }
    Zones.in("Asia/Tokyo")(check(zoned, "at TIMESTAMP", "time_zone = '+09:00'"))
  }

  test("a connection of a task in another zone than the values is rejected for TIMESTAMP columns") {
    val table   = newTable("at TIMESTAMP(6) NULL")
    val options =
      JdbcOptions.parse(Map("url" -> database.url, "dbtable" -> table, "keyColumns" -> "id").asJava)
    val schema                   = StructType.fromDDL("id BIGINT, at TIMESTAMP")
    var zone                     = "+09:00"
    val source: ConnectionSource =
      () => SessionSettings(database.connector, s"time_zone = '$zone'").open()
    val spec = Zones.in("Asia/Tokyo") {
      JdbcWriteSpec.of(options, schema, TableCheck.target(options, schema, source), source)
    }
    Using.resource(spec.session())(_.query("SELECT 1")(_ => ()))
    zone = "+01:00"
    val why =
      intercept[StoplogArgumentException](Using.resource(spec.session())(_.query("SELECT 1")(_ => ())))
    assert(
      why.getMessage.contains("time zone +01:00") && why.getMessage.contains("local times of Asia/Tokyo")
    )
  }

  test("a session in a zone that differs only in the past is rejected") {
    val table = newTable("at TIMESTAMP(6) NULL")
    Zones.in("Asia/Kathmandu") {
      assert(refused(table, "at TIMESTAMP", "time_zone = '+05:45'").contains("differ on 1985-07-15"))
    }
  }

  test("a session that replaces nulls by the current time is rejected for TIMESTAMP columns") {
    val table = newTable("at TIMESTAMP(6) NULL")
    Zones.in("Asia/Tokyo") {
      val lax = Seq("time_zone = '+09:00'", "explicit_defaults_for_timestamp = OFF")
      assert(refused(table, "at TIMESTAMP", lax: _*).contains("explicit_defaults_for_timestamp=OFF"))
    }
  }

  test("upserts into a table with another unique key are rejected") {
    val table = newTable("sku VARCHAR(9) UNIQUE, word VARCHAR(9)")
    for (columns <- Seq("sku STRING", "word STRING"))
      assert(refused(table, columns).contains("It has another unique key (sku)"))
    assert(refusedByKeys(newTable("word VARCHAR(9), UNIQUE (word, id)"), "word STRING", keys = "id") === "")
    val twice = newTable("a INT NOT NULL, b INT NOT NULL, UNIQUE (a, b)")
    assert(refused(twice, "a INT, b INT").contains("It has another unique key (a, b)"))
    assert(refusedByKeys(twice, "a INT, b INT", keys = "b,a").contains("It has another unique key (id)"))
  }

  test("a key of numbers that the database assigns does not count, unless the rows have it") {
    val table = s"${database.newHeap()}_a"
    database.execute(
      s"CREATE TABLE $table (id BIGINT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(9) NOT NULL UNIQUE)"
    )
    val options                 = Map("url" -> database.url, "dbtable" -> table, "keyColumns" -> "sku")
    def target(columns: String) = TableCheck.target(
      JdbcOptions.parse(options.asJava),
      StructType.fromDDL(columns),
      database.connector
    )
    target("sku STRING")
    val why = intercept[StoplogArgumentException](target("sku STRING, id BIGINT")).getMessage
    assert(why.contains("It has another unique key (id)"))
  }

  test("a row that another transaction has changed is a transient failure") {
    val table = database.newHeap()
    database.execute(s"INSERT INTO $table VALUES (1, 'a')")
    Using.resource(SessionSettings(database.connector, "innodb_snapshot_isolation = ON").open()) { reader =>
      reader.setAutoCommit(false)
      val statement = reader.createStatement()
      statement.executeQuery(s"SELECT * FROM $table").close()
      database.execute(s"UPDATE $table SET word = 'b'")
      val failure = intercept[SQLException](statement.executeUpdate(s"DELETE FROM $table"))
      assert(FailureKind.of(failure, database.dialect) === FailureKind.Transient, failure)
      reader.rollback()
    }
  }

  test("finds a table if the driver calls a database a schema") {
    val table = s"${database.newHeap()}_n"
    database.execute(
      s"CREATE DATABASE IF NOT EXISTS another",
      s"CREATE TABLE another.$table (id BIGINT AUTO_INCREMENT PRIMARY KEY, word ENUM('a'))",
      s"CREATE TABLE $table (id BIGINT AUTO_INCREMENT PRIMARY KEY, word ENUM('b'))"
    )
    def found(term: String, name: String) =
      Using.resource(DriverManager.getConnection(s"${database.url}&useCatalogTerm=$term"))(
        TargetTable.inspect(_, name, database.dialect)
      )
    for (name <- Seq(table, s"test.$table", s"another.$table"))
      assert(found("SCHEMA", name) === found("CATALOG", name), name)
  }

  test("0 and null for a column of assigned numbers are bad rows") {
    val table = s"${database.newHeap()}_z"
    database.execute(s"CREATE TABLE $table (id BIGINT AUTO_INCREMENT PRIMARY KEY)")
    val options        = JdbcOptions.parse(Map("url" -> database.url, "dbtable" -> table).asJava)
    val schema         = StructType.fromDDL("id BIGINT")
    val target         = TableCheck.target(options, schema, database.connector)
    val values         = JdbcWriteSpec.of(options, schema, target, database.connector).values
    def fault(id: Any) = values.of(InternalRow(id)).fault.map(_.why)
    assert(fault(0L) === Some("is 0, for which the database assigns the next number"))
    assert(fault(null) === Some("is null, for which the database assigns the next number"))
    assert(fault(-1L) === None && fault(1L) === None)
  }

  /** A table with a key `id` and further columns. */
  private def newTable(columns: String): String = {
    val table = s"${database.newHeap()}_m"
    database.execute(s"CREATE TABLE $table (id BIGINT NOT NULL PRIMARY KEY, $columns)")
    table
  }

  private def check(table: String, columns: String, settings: String*): Target =
    target(table, columns, "id", settings)

  /** Returns the message of the error; empty if there is no error. */
  private def refused(table: String, columns: String, settings: String*): String =
    message(target(table, columns, "id", settings))

  private def refusedByKeys(table: String, columns: String, keys: String): String =
    message(target(table, columns, keys, Nil))

  private def message(work: => Any): String =
    try {
      work
      ""
    } catch {
      case e: StoplogArgumentException =>
        assert(e.getCondition === "STOPLOG_ROW_COLUMNS")
        e.getMessage
    }

  private def target(table: String, columns: String, keys: String, settings: Seq[String]): Target = {
    val options = Map("url" -> database.url, "dbtable" -> table, "keyColumns" -> keys)
    TableCheck.target(
      JdbcOptions.parse(options.asJava),
      StructType.fromDDL(s"id BIGINT, $columns"),
      SessionSettings(database.connector, settings: _*)
    )
  }
}
