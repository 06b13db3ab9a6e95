// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import stoplog.error.Errors

/** Rejects rows with values that a format cannot store, also inside other values. */
private[format] object ValueCheck {

  /** Returns whether the value at this position, which is not null, cannot be stored. */
  type Finder = (SpecializedGetters, Int) => Boolean

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` if no column needs the check.
    *
    * @param format of the files, for the error
    * @param found  a clause about such a value, for the error
    * @param ofType the check of the values of a type
    */
  def of(format: String, schema: StructType, found: String)(
      ofType: PartialFunction[DataType, Finder]
  ): Option[InternalRow => Unit] = {
    val finders = new Finders(ofType.lift)
    val columns = schema.indices.flatMap(i => finders.of(schema(i).dataType).map(i -> _))
    Option.when(columns.nonEmpty) { row =>
      for ((i, isFound) <- columns if !row.isNullAt(i) && isFound(row, i))
        throw Errors.unreadableRow(format, s"the column ${schema(i).name} has $found")
    }
  }

  private final class Finders(ofType: DataType => Option[Finder]) {

    def of(kind: DataType): Option[Finder] = ofType(kind).orElse(kind match {
      case ArrayType(element, _)  => of(element).map(found => (values, i) => any(found, values.getArray(i)))
      case MapType(key, value, _) =>
        val (ofKey, ofValue) = (of(key), of(value))
        Option.when(ofKey.isDefined || ofValue.isDefined) { (values, i) =>
          val map = values.getMap(i)
          ofKey.exists(any(_, map.keyArray())) || ofValue.exists(any(_, map.valueArray()))
        }
      case StructType(fields) =>
        val inner = fields.indices.flatMap(at => of(fields(at).dataType).map(at -> _))
        Option.when(inner.nonEmpty) { (values, i) =>
          val struct = values.getStruct(i, fields.length)
          inner.exists { case (at, found) => !struct.isNullAt(at) && found(struct, at) }
        }
      case user: UserDefinedType[_] => of(user.sqlType)
      case _                        => None
    })

    private def any(found: Finder, values: ArrayData): Boolean =
      (0 until values.numElements()).exists(i => !values.isNullAt(i) && found(values, i))
  }
}
