// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType

import stoplog.source.{RecordEmitter, Split, SplitSource}

/** Converts the records of a [[stoplog.source.format.RecordFormat]] to Spark rows. A class that extends both
  * traits is a format for the option `format`, by class name. The class needs a public constructor without
  * arguments.
  *
  * This trait creates Spark's internal rows, for formats that must be fast. All other formats use
  * [[SimpleRows]].
  */
trait RowFormat[R] extends Serializable {

  /** Returns the columns of the rows. Called on the driver and in tasks. */
  def schema: StructType

  /** Returns an emitter that converts records to rows, in a task.
    *
    * @param wanted the columns of [[schema]] requested by the query, in this order; rows must have exactly
    *               these columns
    */
  def emitter(wanted: StructType): RecordEmitter[R, InternalRow]
}

/** Converts each record to one row with values of Spark's public types.
  *
  * {{{
  * final class Words extends SimpleStreamFormat[String] with SimpleRows[String] {
  *   def schema              = new StructType().add("word", "string")
  *   def row(word: String)   = Row(word)
  *   def reader(in: InputStream) = …
  * }
  * }}}
  */
trait SimpleRows[R] extends RowFormat[R] {

  /** Returns a row with a value per column of [[schema]]. The record is invalid once the row is used. */
  def row(record: R): Row

  override def emitter(wanted: StructType): RecordEmitter[R, InternalRow] = {
    val ordinals   = wanted.fieldNames.map(schema.fieldIndex)
    val converters =
      wanted.fields.map(field => CatalystTypeConverters.createToCatalystConverter(field.dataType))
    (record, out) => {
      val values = row(record)
      out.put(new GenericInternalRow(Array.tabulate[Any](ordinals.length) { index =>
        converters(index)(values.get(ordinals(index)))
      }))
    }
  }
}

/** A custom source for the option `source`: an instance, or the name of a class that extends this trait and
  * has a public constructor without arguments.
  *
  * {{{
  * spark.readStream.format("stoplog").option("source", "com.example.NumbersSource").option("last", "1000000")
  *   .load()
  * }}}
  */
trait RowSource extends Serializable {

  /** Returns the columns of the rows.
    *
    * @param options all options of the read; names are not case-sensitive
    */
  def schema(options: JMap[String, String]): StructType

  /** Returns the source to read from.
    *
    * @param schema the requested columns: columns of [[schema]], or the user's columns instead
    */
  def open(options: JMap[String, String], schema: StructType): SplitSource[_ <: Split, _, InternalRow]
}
