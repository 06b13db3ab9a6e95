// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.`type`.DataTypes
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.CassandraSink
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.{Role, TableColumn, TableInfo}
import stoplog.error.StoplogArgumentException

/** Rows whose columns fill the places of a statement, by their order. */
class QueryPlanSuite extends AnyFunSuite {
  private val table = TableInfo(
    "shop",
    "orders",
    Vector(
      TableColumn("id", DataTypes.INT, Role.PartitionKey),
      TableColumn("Total", DataTypes.INT, Role.Regular),
      TableColumn("v", DataTypes.TEXT, Role.Regular)
    )
  )

  private val twins = TableInfo(
    "shop",
    "t",
    TableColumn("id", DataTypes.INT, Role.PartitionKey) +:
      Vector("v", "V", "w").map(TableColumn(_, DataTypes.INT, Role.Regular)) :+
      TableColumn("W", DataTypes.BIGINT, Role.Regular)
  )

  private val query = "insert into Shop.orders(ID, \"Total\") values (?, ?);"

  private def plan(columns: String, query: String, more: (String, String)*): WritePlan = {
    val sink = more.foldLeft(CassandraSink.withQuery("a", query)) { case (b, (k, v)) => b.withOption(k, v) }
    val options = CassandraOptions.parse(sink.build().options())
    assert(options.table.toString === "shop.orders")
    WritePlan.of(table, StructType.fromDDL(columns), options)
  }

  private def refused(columns: String): String =
    intercept[StoplogArgumentException](plan(columns, query)).getMessage

  private def problems(options: (String, String)*): String =
    intercept[StoplogArgumentException](
      CassandraOptions.parse((Map("contactPoints" -> "a") ++ options).asJava)
    ).getMessageParameters.get("problems")

  test("columns are bound by position regardless of name") {
    val made = plan("total INT, id INT", query)
    assert(made.cql === "INSERT INTO shop.orders (id, \"Total\") VALUES (?, ?) USING TIMESTAMP ?")
    assert(made.values.map(_._1) === Vector(0, 1))
    assert(made.key === Vector(0))
  }

  test("the keyspace may be a separate option") {
    assert(
      plan("a INT, v STRING", "INSERT INTO orders (id, v) VALUES (?,?)", "keyspace" -> "shop").key === Vector(
        0
      )
    )
  }

  test("only timestamp and TTL columns may follow the bound columns") {
    val made = plan("a INT, b INT, keep INT", query, "ttl" -> "column keep")
    assert(made.values.map(_._1) === Vector(0, 1))
    assert(made.ttl === Some(2))
    assert(
      refused("a INT, b INT, c INT").contains(
        "The query has 2 placeholders, for id, Total, and the rows have 3 columns"
      )
    )
    assert(refused("a INT").contains("the rows have 1 columns: a"))
  }

  test("reports an unknown column and a column of another type by name") {
    val unknown = intercept[StoplogArgumentException](
      plan("a INT, b INT", "INSERT INTO shop.orders (id, w) VALUES (?, ?)")
    )
    assert(unknown.getMessage.contains("There is no column w"))
    assert(refused("a INT, b ARRAY<INT>").contains("b: "))
  }

  test("columns whose names differ in case only are separate columns") {
    def plan(columns: String, options: (String, String)*) = WritePlan.of(
      twins,
      StructType.fromDDL(columns),
      CassandraOptions.parse(
        (Map("contactPoints" -> "a", "keyspace" -> "shop", "table" -> "t") ++ options).asJava
      )
    )
    assert(plan("V INT, id INT, v INT").values === Vector(0 -> "V", 1 -> "id", 2 -> "v"))
    assert(
      plan("Id INT, id INT, v INT", "columnMapping" -> "Id=V").values === Vector(
        0 -> "V",
        1 -> "id",
        2 -> "v"
      )
    )
    val timed = plan("id INT, v INT, V INT, w INT, W BIGINT", "writeTimestamp" -> "column W")
    assert((timed.timestamp, timed.values.size) === ((TimestampSource.Column(4), 5)))
  }

  test("rejects unsupported statements with the reason") {
    for (
      (cql, why) <- Seq(
        "UPDATE shop.orders SET v = ?"                    -> "is not of the form INSERT INTO",
        "INSERT INTO shop.orders (id, v) VALUES (?)"      -> "names 2 columns, and has 1 placeholders",
        "INSERT INTO shop.orders (id, id) VALUES (?, ?)"  -> "names a column twice",
        "INSERT INTO shop.orders (id, v) VALUES (?, 'x')" -> "is not of the form INSERT INTO",
        "INSERT INTO shop.orders (id, v) VALUES (?, ?) USING TTL 5"   -> "ends with 'USING TTL 5'",
        "INSERT INTO shop.orders (id, v) VALUES (?, ?) IF NOT EXISTS" -> "ends with 'IF NOT EXISTS'"
      )
    ) assert(problems("query" -> cql).contains(why), cql)
    assert(problems("query" -> "INSERT INTO t (a) VALUES (?)").contains("keyspace is not set"))
    for (beside <- Seq("table", "keyspace", "columnMapping"))
      assert(problems("query" -> query, beside -> "a=b").contains(s"$beside has no effect with query"))
  }
}
