// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, SpecializedGetters}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** Rejects nulls in `NOT NULL` columns of a catalog table, at any depth. Spark checks only tables that report
  * `NOT NULL` to Spark. A table of files does not, because files may contain nulls, and Spark would read such
  * nulls as values.
  *
  * @param table   the declared columns
  * @param written the columns of the rows; if also not nullable, Spark has checked the values
  */
private[spark] final class RequiredValues(table: StructType, written: StructType) extends Serializable {
  private[this] val required = StructType(written.map { field =>
    val declared = table.find(_.name == field.name).getOrElse(field) // the names come from the table
    if (TableColumns.isSame(declared.dataType, field.dataType)) declared else field
  })
  private[this] val stricter =
    required.indices.filter(n => RequiredValues.isStricter(required(n), written(n))).toArray

  /** Requires nothing. */
  def this() = this(new StructType(), new StructType())

  def isNothing: Boolean = stricter.isEmpty

  /** Checks a row. Throws Spark's `NOT_NULL_ASSERT_VIOLATION`. */
  def check(row: InternalRow): Unit = {
    var n = 0
    while (n < stricter.length) {
      check(row, stricter(n), required(stricter(n)), Nil)
      n += 1
    }
  }

  private def within(value: Any, of: DataType, path: Seq[String]): Unit = of match {
    case struct: StructType =>
      var ordinal = 0
      while (ordinal < struct.length) {
        val field = struct(ordinal)
        check(value.asInstanceOf[InternalRow], ordinal, field, path)
        ordinal += 1
      }
    case array: ArrayType =>
      elements(value, StructField("element", array.elementType, array.containsNull), path)
    case map: MapType =>
      elements(
        value.asInstanceOf[MapData].keyArray(),
        StructField("key", map.keyType, nullable = false),
        path
      )
      elements(
        value.asInstanceOf[MapData].valueArray(),
        StructField("value", map.valueType, map.valueContainsNull),
        path
      )
    case _ => ()
  }

  private def elements(array: Any, of: StructField, path: Seq[String]): Unit = {
    val all     = array.asInstanceOf[ArrayData]
    var ordinal = 0
    while (ordinal < all.numElements()) {
      check(all, ordinal, of, path)
      ordinal += 1
    }
  }

  private def check(in: SpecializedGetters, ordinal: Int, of: StructField, path: Seq[String]): Unit =
    if (in.isNullAt(ordinal)) {
      if (!of.nullable) {
        AssertNotNull(Literal(null, NullType), path :+ of.name).eval() // throws Spark's own error
        ()
      }
    } else
      of.dataType match {
        case nested @ (_: StructType | _: ArrayType | _: MapType) =>
          within(in.get(ordinal, nested), nested, path :+ of.name)
        case _ => ()
      }
}

private object RequiredValues {

  /** Returns whether rows may contain a null, at any depth, where a null is not permitted. */
  def isStricter(required: StructField, written: StructField): Boolean =
    !required.nullable && written.nullable || isStricter(required.dataType, written.dataType)

  private def isStricter(required: DataType, written: DataType): Boolean = (required, written) match {
    case (a: StructType, b: StructType) => a.zip(b).exists { case (is, was) => isStricter(is, was) }
    case (a: ArrayType, b: ArrayType)   =>
      !a.containsNull && b.containsNull || isStricter(a.elementType, b.elementType)
    case (a: MapType, b: MapType) =>
      !a.valueContainsNull && b.valueContainsNull || isStricter(a.keyType, b.keyType) ||
      isStricter(a.valueType, b.valueType)
    case _ => false
  }
}
