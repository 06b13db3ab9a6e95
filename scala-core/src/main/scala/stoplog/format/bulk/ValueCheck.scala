// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import stoplog.error.Errors

/** A format that cannot store all values of its types. A row is checked before it waits for a block: see
  * [[RowChecks]]. Each check throws `STOPLOG_UNREADABLE_ROW`, and is `None` if all values can be stored.
  */
private[format] trait ValueLimits {

  /** Returns the check under the settings of this format. */
  def limits: Option[InternalRow => Unit]

  /** Returns a check that rejects each row which any settings of the format reject. */
  def anyLimits: Option[InternalRow => Unit]
}

/** Rejects rows with values that a format cannot store, also inside other values. */
private[format] object ValueCheck {

  /** Finds values that cannot be stored. */
  trait Finder {

    /** Returns whether the value at this position, which is not null, cannot be stored. */
    def found(values: SpecializedGetters, at: Int): Boolean
  }

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
    Option.when(columns.nonEmpty) {
      val ordinals = columns.map(_._1).toArray
      val checks   = columns.map(_._2).toArray
      row =>
        var i = 0
        while (i < ordinals.length) {
          val at = ordinals(i)
          if (!row.isNullAt(at) && checks(i).found(row, at))
            throw Errors.unreadableRow(format, s"the column ${schema(at).name} has $found")
          i += 1
        }
    }
  }

  /** Returns a check that makes all these checks, in this order. */
  def all(checks: Option[InternalRow => Unit]*): Option[InternalRow => Unit] =
    checks.flatten.reduceOption { (one, next) => row =>
      one(row)
      next(row)
    }

  private final class Finders(ofType: DataType => Option[Finder]) {

    def of(kind: DataType): Option[Finder] = ofType(kind).orElse(kind match {
      case ArrayType(element, _)  => of(element).map(inner => (values, i) => any(inner, values.getArray(i)))
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
          inner.exists { case (at, finder) => !struct.isNullAt(at) && finder.found(struct, at) }
        }
      case user: UserDefinedType[_] => of(user.sqlType)
      case _                        => None
    })

    private def any(finder: Finder, values: ArrayData): Boolean =
      (0 until values.numElements()).exists(i => !values.isNullAt(i) && finder.found(values, i))
  }
}
