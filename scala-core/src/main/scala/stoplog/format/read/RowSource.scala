// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.source.{Split, SplitSource}

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
