// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{SourceFile, SourceFiles}

/** Tells where the blocks of a file are: row groups, stripes, or what else its format calls them. On the driver. */
trait BlockIndex extends Serializable {

  /** In the order in which they lie in the file. Any exception means that they are unknown. */
  def of(files: SourceFiles, file: SourceFile): Vector[Block]
}

/** A block of rows that are read together.
  *
  * @param begins  its first byte
  * @param decides a byte of it: the piece of the file in which it lies has the block
  */
final case class Block(begins: Long, decides: Long, rows: Long)
