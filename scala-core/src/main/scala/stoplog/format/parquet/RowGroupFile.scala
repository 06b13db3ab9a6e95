// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.io.{ByteArrayOutputStream, OutputStream}

import org.apache.parquet.io.{OutputFile, PositionOutputStream}

import org.apache.parquet.hadoop.ParquetFileWriter

import stoplog.part.BlockOutput

/** The end of a part, as parquet-hadoop sees it: a file of its own, of which one row group is written.
  *
  * A writer puts the magic first, then the pages, then indexes and Bloom filters, then the footer. Of these only the
  * pages, the indexes and the filters belong behind earlier row groups; they go straight to the part, at the offsets
  * that they have there. The magic goes with the first row group only, and the footer is held back.
  */
private[parquet] final class RowGroupFile(out: BlockOutput) extends OutputFile {

  private val start                     = out.position
  private val beginning                 = new ByteArrayOutputStream
  private val ending                    = new ByteArrayOutputStream
  private var target: OutputStream      = beginning
  private var position: Long            = math.max(0, start - ParquetFileWriter.MAGIC.length)
  private lazy val (indexes, tailBytes) = Tail.split(ending.toByteArray)

  /** Lets the row group through; before this, nothing reaches the part. */
  def release(): Unit = {
    if (start == 0) beginning.writeTo(out)
    target = out
  }

  /** What comes from now on is held back: the pages are over. */
  def endPages(): Unit = target = if (target eq out) ending else OutputStream.nullOutputStream

  /** Nothing more reaches the part. */
  def giveUp(): Unit = target = OutputStream.nullOutputStream

  /** Writes the indexes to the part and answers what is left, once the writer has been closed. */
  def tail(): Array[Byte] = {
    out.write(indexes)
    tailBytes
  }

  override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {

    override def getPos: Long = position

    override def write(byte: Int): Unit = {
      target.write(byte)
      position += 1
    }

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      target.write(bytes, offset, length)
      position += length
    }
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)

  // No padding to blocks of the store: the rows were counted before anyone knew where they would stand.
  override def supportsBlockSize: Boolean = false

  override def defaultBlockSize: Long = 0

  // Factories of encryption properties are asked for a path, and there is none yet that will last.
  override def getPath: String = RowGroupFile.Name
}

private[parquet] object RowGroupFile {

  val Name: String = "part.parquet"
}
