// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

/** A block that another one writes, for tests that change or count some of it. */
class BlockThrough(to: BlockWriter) extends BlockWriter {
  override def write(row: InternalRow): Unit = to.write(row)
  override def bufferedBytes: Long           = to.bufferedBytes
  override def finish(): Array[Byte]         = to.finish()
  override def close(): Unit                 = to.close()
}
