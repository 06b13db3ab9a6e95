// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.sink.TwoPhaseSink

/** A custom sink for the option `sink`. The option names a class that extends this trait and has a public
  * constructor without arguments.
  *
  * {{{
  * rows.writeStream.format("stoplog").option("sink", "com.example.TransactionalFiles")
  *   .option("path", "/data/out").option("checkpointLocation", "/data/checkpoint").start()
  * }}}
  */
trait RowSink {

  /** @param options all options of the write; names are not case-sensitive
    * @param schema  the columns of the rows
    */
  def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow]
}
