// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Rows of one text, in Spark's own form. */
object TextRows {
  val columns: StructType = new StructType().add("text", StringType)

  def of(text: String): UnsafeRow = {
    val writer = new UnsafeRowWriter(1)
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, UTF8String.fromString(text))
    writer.getRow
  }

  def texts(rows: Iterator[UnsafeRow]): Vector[String] = rows.map(_.getUTF8String(0).toString).toVector
}
