// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, SpecializedGetters}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** Refuses a null where a table of the catalog says `NOT NULL`, at any depth. Spark does so for tables that say it to Spark:
  * a table of files does not, because no file is held to it, and Spark would read a missing value as one that is there.
  *
  * @param table   the columns as they were declared
  * @param written those of the rows: what cannot be null by its type is not looked at
  */
private[spark] final class RequiredValues(table: StructType, written: StructType) extends Serializable {
  private[this] val columns: Array[(Int, StructField)] =
    for {
      (field, ordinal) <- written.fields.zipWithIndex
      asked            <- table.find(_.name.equalsIgnoreCase(field.name))
      within = if (asked.dataType == field.dataType) NullType else asked.dataType
      if within != NullType || (field.nullable && !asked.nullable)
    } yield ordinal -> asked.copy(dataType = within)

  /** Error: Spark's `NOT_NULL_ASSERT_VIOLATION`. */
  def check(row: InternalRow): Unit = {
    var index = 0
    while (index < columns.length) {
      val (ordinal, field) = columns(index)
      RequiredValues.check(row, ordinal, field.dataType, field.nullable, Seq(field.name))
      index += 1
    }
  }
}

private[spark] object RequiredValues {
  val none: RequiredValues = new RequiredValues(new StructType(), new StructType())

  private def check(
      in: SpecializedGetters,
      ordinal: Int,
      of: DataType,
      mayBeNull: Boolean,
      path: Seq[String]
  ): Unit =
    if (!in.isNullAt(ordinal)) within(in.get(ordinal, of), of, path)
    else if (!mayBeNull) {
      AssertNotNull(Literal(null, NullType), path).eval() // throws Spark's own error
      ()
    }

  private def within(value: Any, of: DataType, path: Seq[String]): Unit = (value, of) match {
    case (row: InternalRow, StructType(fields)) =>
      for ((field, ordinal) <- fields.zipWithIndex)
        check(row, ordinal, field.dataType, field.nullable, path :+ field.name)
    case (array: ArrayData, ArrayType(element, mayBeNull)) =>
      for (ordinal <- 0 until array.numElements())
        check(array, ordinal, element, mayBeNull, path :+ "element")
    case (map: MapData, MapType(key, value, mayBeNull)) =>
      within(map.keyArray(), ArrayType(key, containsNull = false), path :+ "key")
      within(map.valueArray(), ArrayType(value, mayBeNull), path :+ "value")
    case _ => ()
  }
}
