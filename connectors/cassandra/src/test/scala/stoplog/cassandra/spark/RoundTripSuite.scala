// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.KeyspaceForTests
import stoplog.format.SparkSessionForTests

/** Every type that both sides have, written by Spark and read by Spark, and seen by the driver in between. */
class RoundTripSuite extends AnyFunSuite with KeyspaceForTests with SparkSessionForTests {

  private def readBack(table: String) =
    spark.read.format("stoplog-cassandra").options(options(table)).load()

  private def write(sql: String, table: String, more: (String, String)*): Unit =
    spark.sql(sql).write.format("stoplog-cassandra").options(options(table, more: _*)).mode("append").save()

  test("every type survives a round trip, with and without nulls") {
    session.execute(s"CREATE TYPE $keyspace.address (street text, number int)")
    val types = RoundTripSuite.values.map(_._1.replace("%s", keyspace))
    val names = types.indices.map(at => f"v$at%02d")
    cql(
      s"CREATE TABLE %s.types (id int PRIMARY KEY, ${names.zip(types).map { case (n, t) => s"$n $t" }.mkString(", ")})"
    )
    val values = RoundTripSuite.values.map(_._2).zip(names).map { case (value, name) => s"$value AS $name" }
    write(s"SELECT 1 AS id, ${values.mkString(", ")}", "types")
    cql("INSERT INTO %s.types (id) VALUES (2)")

    val seen = cql("SELECT * FROM %s.types WHERE id = 1").head.getFormattedContents
    for (((_, _, shown), name) <- RoundTripSuite.values.zip(names))
      assert(seen.contains(s"$name:$shown"), seen)
    val expected = spark.sql(s"SELECT 1 AS id, ${values.mkString(", ")}").head()
    val found    = readBack("types").orderBy("id").collect().toSeq
    assert(RoundTripSuite.comparable(found.head) === RoundTripSuite.comparable(expected))
    assert(names.indices.forall(at => found(1).isNullAt(at + 1)))
    assert(readBack("types").groupBy().count().head().getLong(0) === 2)
  }

  test("reads and writes composite keys and static columns") {
    cql(
      "CREATE TABLE %s.keys (a int, b text, c int, d text, s text STATIC, v int, PRIMARY KEY ((a, b), c, d))"
    )
    write("SELECT 1 AS a, 'x' AS b, 2 AS c, 'y' AS d, 'static' AS s, 5 AS v", "keys")
    assert(readBack("keys").collect().toSeq === Seq(Row(1, "x", 2, "y", "static", 5)))
    assert(readBack("keys").schema.map(_.nullable) === Seq(false, false, true, true, true, true))
  }

  test("upper-case names are preserved, and columnMapping renames columns") {
    cql("""CREATE TABLE %s."Orders" ("Id" int PRIMARY KEY, "order by" text)""")
    write("SELECT 1 AS id, 'x' AS sorting", "Orders", "columnMapping" -> "sorting = order by")
    val mapped = spark.read
      .format("stoplog-cassandra")
      .options(options("Orders", "columnMapping" -> "sorting=order by"))
      .load()
    assert(mapped.columns.toSeq === Seq("Id", "sorting"))
    assert(mapped.collect().toSeq === Seq(Row(1, "x")))
  }

  test("narrow numbers are written to wider columns") {
    cql("CREATE TABLE %s.wide (id bigint PRIMARY KEY, a int, b double, c varint, d decimal)")
    write("SELECT 1 AS id, 2Y AS a, CAST(1.5 AS FLOAT) AS b, 3S AS c, 4 AS d", "wide")
    assert(cql("SELECT * FROM %s.wide").head.getFormattedContents === "[id:1, a:2, b:1.5, c:3, d:4]")
  }
}

object RoundTripSuite {

  /** A type of Cassandra's, a value in Spark's SQL, and how what the driver shows of it begins. */
  val values: Seq[(String, String, String)] = Seq(
    ("text", "'grün'", "'grün'"),
    ("ascii", "'plain'", "'plain'"),
    ("tinyint", "-5Y", "-5"),
    ("smallint", "-300S", "-300"),
    ("int", "70000", "70000"),
    ("bigint", "9000000000", "9000000000"),
    ("varint", "CAST('12345678901234567890123456789' AS DECIMAL(38, 0))", "12345678901234567890123456789"),
    ("decimal", "CAST('12.340000000000000005' AS DECIMAL(38, 18))", "12.340000000000000005"),
    ("float", "CAST(1.5 AS FLOAT)", "1.5"),
    ("double", "CAST(-2.25 AS DOUBLE)", "-2.25"),
    ("boolean", "true", "true"),
    ("blob", "X'00ff10'", "0x00ff10"),
    ("uuid", "'123e4567-e89b-12d3-a456-426614174000'", "123e4567-e89b-12d3-a456-426614174000"),
    ("timeuuid", "'8ac1e920-e9a7-11ef-9cd2-0242ac120002'", "8ac1e920-e9a7-11ef-9cd2-0242ac120002"),
    ("inet", "'10.0.0.7'", "'10.0.0.7'"),
    ("date", "DATE'2026-11-22'", "'2026-11-22'"),
    ("date", "DATE'1850-01-31'", "'1850-01-31'"),
    ("timestamp", "TIMESTAMP'2026-11-22 10:11:12.345'", "'2026-11-22"),
    ("timestamp", "TIMESTAMP'1960-01-01 00:00:00.001'", "'1960-01-01"),
    ("time", "3723000000005", "'01:02:03.000000005'"),
    (
      "duration",
      "named_struct('months', 14, 'days', 3, 'nanoseconds', 4000000000L)",
      "1y2mo3d4s"
    ),
    ("frozen<list<int>>", "array(3, 1, 2)", "[3,1,2]"),
    ("set<text>", "array('a', 'b')", "{'a','b'}"),
    ("map<text, bigint>", "map('k', 7L, 'l', 8L)", "{'k':7,'l':8}"),
    ("map<text, frozen<list<int>>>", "map('k', array(1, 2))", "{'k':[1,2]}"),
    ("tuple<int, text>", "named_struct('_1', 4, '_2', 'four')", "(4,'four')"),
    ("%s.address", "named_struct('street', 'Long', 'number', 9)", "{street:'Long',number:9}"),
    ("frozen<%s.address>", "named_struct('street', 'Long', 'number', CAST(NULL AS INT))", "{street:'Long'"),
    (
      "vector<float, 3>",
      "array(CAST(1.0 AS FLOAT), CAST(2.5 AS FLOAT), CAST(-3.0 AS FLOAT))",
      "[1.0, 2.5, -3.0]"
    ),
    ("vector<text, 2>", "array('a', 'bc')", "['a', 'bc']")
  )

  // Arrays of bytes are equal by their content, structs whatever their types are called.
  def comparable(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.toSeq
    case row: Row           => row.toSeq.map(comparable)
    case other              => other
  }

}
