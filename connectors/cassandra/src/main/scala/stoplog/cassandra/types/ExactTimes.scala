// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, TimestampType}

/** Rejects timestamps with digits that Cassandra does not store. In a key, several rows would become one row
  * without these digits.
  */
private[cassandra] final class ExactTimes private (spark: DataType) {

  /** Error: `IllegalArgumentException` if a timestamp in the value has digits below a millisecond. */
  def check(row: SpecializedGetters, ordinal: Int): Unit = check(row, ordinal, spark)

  private def check(row: SpecializedGetters, at: Int, as: DataType): Unit = if (!row.isNullAt(at)) as match {
    case TimestampType =>
      if (Math.floorMod(row.getLong(at), 1000L) != 0) throw new IllegalArgumentException(ExactTimes.TooFine)
    case ArrayType(element, _) =>
      val array = row.getArray(at)
      (0 until array.numElements()).foreach(check(array, _, element))
    case MapType(key, value, _) =>
      val map = row.getMap(at)
      (0 until map.numElements()).foreach { n =>
        check(map.keyArray(), n, key)
        check(map.valueArray(), n, value)
      }
    case struct: StructType =>
      val fields = row.getStruct(at, struct.length)
      struct.indices.foreach(n => check(fields, n, struct(n).dataType))
    case _ => ()
  }
}

private[cassandra] object ExactTimes {

  /** Returns the check of a column; `None` if the type contains no timestamps. */
  def of(spark: DataType): Option[ExactTimes] =
    Option.when(hasTimes(spark))(new ExactTimes(spark))

  private def hasTimes(spark: DataType): Boolean = spark match {
    case ArrayType(element, _)  => hasTimes(element)
    case MapType(key, value, _) => hasTimes(key) || hasTimes(value)
    case struct: StructType     => struct.exists(field => hasTimes(field.dataType))
    case other                  => other == TimestampType
  }

  private val TooFine = "Cassandra stores milliseconds, and the timestamp has microseconds. Without these " +
    "digits, several keys would become one key. Round the column in the query, for example with " +
    "date_trunc('MILLISECOND', column)"
}
