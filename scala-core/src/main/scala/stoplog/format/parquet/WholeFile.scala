// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.parquet.io.{OutputFile, PositionOutputStream}

import stoplog.part.BlockOutput

/** A part as parquet-hadoop sees it when it writes all of it. */
private[parquet] final class WholeFile(out: BlockOutput) extends OutputFile {

  override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
    override def getPos: Long                                              = out.position
    override def write(byte: Int): Unit                                    = out.write(byte)
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = out.write(bytes, offset, length)
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)
  override def supportsBlockSize: Boolean                                   = false
  override def defaultBlockSize: Long                                       = 0
  override def getPath: String                                              = RowGroupFile.Name
}
