// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor

/** A user's own format of blocks, which is made again from its class or its serialized form. */
private[bulk] final class OwnFormat(format: BulkFormat, reference: String) extends BulkFormat {
  override def suffix: String                                               = format.suffix
  override def open(schema: StructType): Unit                               = format.open(schema)
  override def describe: String                                             = reference
  override def blockBytes: Long                                             = format.blockBytes
  override def mayKeepRows: Boolean                                         = format.mayKeepRows
  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = format.block(out, directory)
  override def end(out: BlockOutput, directory: Array[Byte]): Unit          = format.end(out, directory)
  override def compactor: Option[Compactor]                                 = format.compactor
}
