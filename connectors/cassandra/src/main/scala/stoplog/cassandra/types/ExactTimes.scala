// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.`type`.{
  DataType => CqlType, ListType, MapType => CqlMapType, SetType, TupleType, UserDefinedType, VectorType
}
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, TimestampType}

import stoplog.util.ColumnNames

/** Rejects timestamps with digits that Cassandra does not store, where different timestamps must remain
  * different: in the primary key, several rows would become one row without these digits; in a set or in the
  * keys of a map, several elements would become one element.
  */
private[cassandra] trait ExactTimes {

  /** Error: `IllegalArgumentException` if a checked timestamp in the value has digits below a millisecond. */
  def check(row: SpecializedGetters, ordinal: Int): Unit
}

private[cassandra] object ExactTimes {

  /** Returns the check of a column; `None` if the column contains no such timestamps.
    *
    * @param isKey true to check all timestamps, false to check elements of sets and keys of maps
    */
  def of(spark: DataType, cql: CqlType, isKey: Boolean): Option[ExactTimes] = (spark, cql) match {
    case (TimestampType, _)                          => Option.when(isKey)(time)
    case (ArrayType(element, _), set: SetType)       => list(of(element, set.getElementType, isKey = true))
    case (ArrayType(element, _), all: ListType)      => list(of(element, all.getElementType, isKey))
    case (ArrayType(element, _), vector: VectorType) => list(of(element, vector.getElementType, isKey))
    case (MapType(key, value, _), map: CqlMapType)   =>
      val keys   = of(key, map.getKeyType, isKey = true)
      val values = of(value, map.getValueType, isKey)
      Option.when(keys.nonEmpty || values.nonEmpty)(nonNull { (row, at) =>
        val entries = row.getMap(at)
        keys.foreach(each(entries.keyArray(), _))
        values.foreach(each(entries.valueArray(), _))
      })
    case (struct: StructType, udt: UserDefinedType) =>
      val names = SparkTypes.names(udt)
      val found = struct.fieldNames.toSeq.map(ColumnNames.index(names, _))
      fields(struct, found.map(_.map(at => udt.getFieldTypes.get(at))), isKey)
    case (struct: StructType, tuple: TupleType) =>
      fields(struct, tuple.getComponentTypes.asScala.toSeq.map(Option(_)), isKey)
    case _ => None
  }

  private val time: ExactTimes = nonNull { (row, at) =>
    if (Math.floorMod(row.getLong(at), 1000L) != 0) throw new IllegalArgumentException(TooFine)
  }

  private def list(element: Option[ExactTimes]): Option[ExactTimes] =
    element.map(check => nonNull((row, at) => each(row.getArray(at), check)))

  private def fields(struct: StructType, types: Seq[Option[CqlType]], isKey: Boolean): Option[ExactTimes] = {
    val checks = types.zipWithIndex.flatMap { case (cql, field) =>
      cql.flatMap(of(struct(field).dataType, _, isKey)).map(field -> _)
    }
    Option.when(checks.nonEmpty)(nonNull { (row, at) =>
      val values = row.getStruct(at, struct.length)
      checks.foreach { case (field, exact) => exact.check(values, field) }
    })
  }

  private def each(array: ArrayData, element: ExactTimes): Unit =
    (0 until array.numElements()).foreach(element.check(array, _))

  private def nonNull(exact: ExactTimes): ExactTimes =
    (row, at) => if (!row.isNullAt(at)) exact.check(row, at)

  private final val TooFine = "Cassandra stores milliseconds, and the timestamp has microseconds. Without " +
    "these digits, several keys or elements of a set would become equal. Round the timestamp in the query, " +
    "for example with date_trunc('MILLISECOND', column)"
}
