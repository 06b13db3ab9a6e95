// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType, DataTypes}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.options.{CassandraOptions, NullValues}
import stoplog.cassandra.schema.{Role, TableColumn, TableInfo}
import stoplog.cassandra.write.{RowEncoder, WritePlan}
import stoplog.error.StoplogException

/** Timestamps with microseconds in columns outside the primary key. */
class ExactTimesSuite extends AnyFunSuite {
  private val time   = DataTypes.TIMESTAMP
  private val number = DataTypes.INT

  // Two timestamps in one millisecond.
  private val fine  = list(1L, 2L)
  private val exact = list(1000L, 2000L)

  test("keys of a map that differ only in microseconds are a bad row") {
    val encoder = encoderOf("MAP<TIMESTAMP, INT>", DataTypes.mapOf(time, number))
    encoder.check(InternalRow(1, map(exact, list(1, 2))))
    val e = intercept[StoplogException](encoder.check(InternalRow(1, map(fine, list(1, 2)))))
    assert(e.getCondition === "STOPLOG_BAD_ROW")
    assert(e.getMessage.contains("date_trunc('MILLISECOND', column)"))
  }

  test("elements of sets and keys of maps are checked at any depth, and other timestamps are cut") {
    val inSet  = DataTypes.frozenSetOf(time)
    val struct = InternalRow(fine)
    for (
      (spark, cql, value, isStored) <- Seq[(String, CqlType, Any, Boolean)](
        ("ARRAY<TIMESTAMP>", DataTypes.setOf(time), fine, false),
        ("ARRAY<TIMESTAMP>", DataTypes.frozenListOf(time), fine, true),
        ("ARRAY<ARRAY<TIMESTAMP>>", DataTypes.frozenListOf(inSet), list(fine), false),
        ("ARRAY<ARRAY<TIMESTAMP>>", DataTypes.setOf(DataTypes.frozenListOf(time)), list(fine), false),
        ("MAP<INT, TIMESTAMP>", DataTypes.mapOf(number, time), map(list(1, 2), fine), true),
        ("MAP<INT, ARRAY<TIMESTAMP>>", DataTypes.mapOf(number, inSet), map(list(1), list(fine)), false),
        ("STRUCT<a: ARRAY<TIMESTAMP>>", DataTypes.tupleOf(inSet), struct, false),
        ("STRUCT<a: ARRAY<TIMESTAMP>>", DataTypes.tupleOf(DataTypes.frozenListOf(time)), struct, true),
        ("TIMESTAMP", time, 1L, true)
      )
    ) {
      val encoder = encoderOf(spark, cql)
      assert(Try(encoder.check(InternalRow(1, value))).isSuccess === isStored, s"$spark $cql")
    }
  }

  private def list(values: Any*): ArrayData = new GenericArrayData(values.toArray[Any])

  private def map(keys: ArrayData, values: ArrayData): MapData = new ArrayBasedMapData(keys, values)

  private def encoderOf(spark: String, cql: CqlType): RowEncoder = {
    val columns = Vector(TableColumn("id", number, Role.PartitionKey), TableColumn("v", cql, Role.Regular))
    val table   = TableInfo("shop", "t", columns)
    val options = Map("contactPoints" -> "a", "keyspace" -> "shop", "table" -> "t").asJava
    val rows    = StructType.fromDDL(s"id INT, v $spark")
    val plan    = WritePlan.of(table, rows, CassandraOptions.parse(options))
    RowEncoder.of(plan, table, NullValues.Unset)
  }
}
