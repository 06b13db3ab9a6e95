// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType

import stoplog.source.{RecordEmitter, Split, SplitSource}

/** The Spark side of the records of a [[stoplog.source.format.RecordFormat]]: a class that extends both is a format
  * for the option `format`, by its name, if it has a public constructor without arguments.
  *
  * This one makes the rows that Spark has inside, for formats that have to be fast; see [[SimpleRows]] for all others.
  */
trait RowFormat[R] extends Serializable {

  /** The columns of the rows. Asked on the driver, and in tasks. */
  def schema: StructType

  /** Makes rows of records, in a task.
    *
    * @param wanted those columns of [[schema]] that the query wants, in this order; a row must have these and no others
    */
  def emitter(wanted: StructType): RecordEmitter[R, InternalRow]
}

/** Makes of each record one row, of the values that rows have in Spark's public interface.
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

  /** A value for each column of [[schema]]. The record is not valid any more when the row is used. */
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

/** A source of one's own, for the option `source`: the name of a class that extends this and has a public constructor
  * without arguments, or an instance.
  *
  * {{{
  * spark.readStream.format("stoplog").option("source", "com.example.NumbersSource").option("last", "1000000").load()
  * }}}
  */
trait RowSource extends Serializable {

  /** The columns of the rows.
    *
    * @param options all options of the read, in any case of their names
    */
  def schema(options: JMap[String, String]): StructType

  /** The source to read from.
    *
    * @param schema the columns that are wanted: those of [[schema]], or what the user named instead
    */
  def open(options: JMap[String, String], schema: StructType): SplitSource[_ <: Split, _, InternalRow]
}
