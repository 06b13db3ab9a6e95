// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.TestDatabase

/** Each pair of a Spark type and a column type stores every value exactly, or rejects it by name. */
abstract class TypeTableLaws(database: => TestDatabase, columnTypes: Seq[String], more: String*)
    extends AnyFunSuite {
  private lazy val table = {
    val made = database
    made.execute(more: _*)
    new TypeTable(made, columnTypes)
  }

  test("each pair of types is exact or refused") {
    val wrong = for {
      (column, pairs)               <- table.outcomes
      (spark, TypeTable.Wrong(why)) <- pairs
    } yield s"$spark into $column: $why"
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }
}

object ColumnTypes {
  val derby: Seq[String] = Seq("SMALLINT", "INT", "BIGINT", "REAL", "DOUBLE", "DECIMAL(10,2)",
    "DECIMAL(31,0)", "BOOLEAN", "CHAR(5)", "VARCHAR(100)", "CLOB", "CHAR(4) FOR BIT DATA",
    "VARCHAR(100) FOR BIT DATA", "BLOB", "DATE", "TIME", "TIMESTAMP", "XML")

  val h2: Seq[String] = Seq("TINYINT", "SMALLINT", "INT", "BIGINT", "REAL", "DOUBLE PRECISION",
    "NUMERIC(10,2)", "DECFLOAT(16)", "BOOLEAN", "CHAR(5)", "VARCHAR(100)", "VARCHAR_IGNORECASE(100)", "CLOB",
    "BINARY(4)", "VARBINARY(100)", "BLOB", "DATE", "TIME(0)", "TIME(6)", "TIME WITH TIME ZONE",
    "TIMESTAMP(0)", "TIMESTAMP(6)", "TIMESTAMP(3) WITH TIME ZONE", "TIMESTAMP(9) WITH TIME ZONE", "UUID",
    "JSON", "ENUM('sad', 'ok')", "INTERVAL DAY", "GEOMETRY", "INT ARRAY", "VARCHAR(100) ARRAY",
    "VARBINARY ARRAY", "NUMERIC(10,2) ARRAY", "TIMESTAMP ARRAY", "DATE ARRAY")

  val sqlite: Seq[String] = Seq("INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "DECIMAL(10,2)", "DATE",
    "DATETIME", "BOOLEAN", "VARCHAR(10)", "STRING")

  val postgres: Seq[String] = Seq("smallint", "integer", "bigint", "real", "double precision", "numeric",
    "numeric(10,2)", "numeric(3,-2)", "boolean", "char(5)", "varchar(100)", "text", "bytea", "date", "time",
    "time(0)", "timetz", "timestamp", "timestamp(0)", "timestamptz", "timestamptz(3)", "uuid", "json",
    "jsonb", "xml", "money", "bit(1)", "bit(3)", "varbit(5)", "inet", "interval", "mood", "pair", "tsvector",
    "name", "\"char\"", "oid", "word5", "int[]", "text[]", "uuid[]", "json[]", "mood[]", "bytea[]",
    "timestamp[]", "date[]", "numeric(10,2)[]", "boolean[]", "float8[]")

  val mariaDb: Seq[String] = Seq("TINYINT", "TINYINT UNSIGNED", "TINYINT(1)", "SMALLINT", "MEDIUMINT", "INT",
    "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(10,2)", "DECIMAL(10,2) UNSIGNED", "FLOAT",
    "FLOAT(7,2)", "DOUBLE", "BIT(1)", "BIT(8)", "CHAR(5)", "VARCHAR(100)",
    "VARCHAR(100) CHARACTER SET latin1", "TINYTEXT", "TEXT", "JSON", "ENUM('sad', 'ok')", "SET('sad', 'ok')",
    "BINARY(4)", "VARBINARY(100)", "BLOB", "DATE", "DATETIME", "DATETIME(6)", "TIMESTAMP(6) NULL", "TIME",
    "TIME(6)", "YEAR", "UUID", "INET6", "POINT")
}

class DerbyTypesSuite extends TypeTableLaws(TestDatabase.derby(), ColumnTypes.derby)
class H2TypesSuite    extends TypeTableLaws(TestDatabase.h2(), ColumnTypes.h2)
class SqliteTypesSuite
    extends TypeTableLaws(
      TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")),
      ColumnTypes.sqlite
    )
class PostgresTypesSuite
    extends TypeTableLaws(
      TestDatabase.postgres,
      ColumnTypes.postgres,
      "CREATE TYPE mood AS ENUM ('sad', 'ok')",
      "CREATE TYPE pair AS (a int, b text)",
      "CREATE DOMAIN word5 AS varchar(5)"
    )
class MariaDbTypesSuite extends TypeTableLaws(TestDatabase.mariaDb, ColumnTypes.mariaDb)
