// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{FileMetaData, RowGroup, SchemaElement, Util}
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

import stoplog.part.BlockOutput

/** The end of a part as parquet-hadoop sees it: a separate file with a single row group.
  *
  * A writer writes the magic first, then the pages, then indexes and Bloom filters, then the footer. Only
  * pages, indexes and filters belong after earlier row groups. These bytes are written directly to the part,
  * with their final offsets. The magic is written only with the first row group, and the footer is held back.
  */
private[parquet] final class RowGroupFile(out: BlockOutput) extends PartFile {

  private val start                     = out.position
  private val beginning                 = new ByteArrayOutputStream
  private val ending                    = new ByteArrayOutputStream
  private var target: OutputStream      = beginning
  private var position: Long            = math.max(0, start - ParquetFileWriter.MAGIC.length)
  private lazy val (indexes, tailBytes) = ParquetTail.split(ending.toByteArray)

  /** Allows writes of the row group to the part. No bytes reach the part before this call. */
  def release(): Unit = {
    if (start == 0) beginning.writeTo(out)
    target = out
  }

  /** Holds back all further bytes, because the pages are complete. */
  def endPages(): Unit = target = if (target eq out) ending else OutputStream.nullOutputStream

  /** Discards all further bytes. */
  def giveUp(): Unit = target = OutputStream.nullOutputStream

  /** Writes the indexes to the part and returns the remaining bytes. Called after the writer was closed. */
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
}

/** A file without a name and without a block size. */
private[parquet] sealed abstract class PartFile extends OutputFile {
  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)

  // Without padding to storage blocks: the rows were counted before their position was known.
  override def supportsBlockSize: Boolean = false
  override def defaultBlockSize: Long     = 0

  // Factories of encryption properties require a path, but the final path does not exist yet.
  override def getPath: String = PartFile.Name
}

private[parquet] object PartFile {
  val Name: String = "part.parquet"

  /** A part as parquet-hadoop sees it when writing the whole part. */
  final class Whole(out: BlockOutput) extends PartFile {
    override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
      override def getPos: Long                                              = out.position
      override def write(byte: Int): Unit                                    = out.write(byte)
      override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
        out.write(bytes, offset, length)
    }
  }
}

/** The tail of a Parquet file: the footer, its length in four bytes, the magic. */
private[parquet] object ParquetTail {

  /** Splits bytes that end in a tail into the preceding bytes and the tail. */
  def split(bytes: Array[Byte]): (Array[Byte], Array[Byte]) =
    bytes.splitAt(bytes.length - SuffixBytes - footerBytes(bytes))

  /** Returns the tail of a part with an additional row group.
    *
    * @param before the tail of the row groups so far; empty for none
    * @param added  the tail written by the writer of the additional row group
    */
  def append(before: Array[Byte], added: Array[Byte]): Array[Byte] =
    if (before.isEmpty) added else written(merged(footer(before), footer(added)))

  /** Merges two footers. Spark's metadata and the writer's name are from the newer writer. The schema is from
    * the earlier footer.
    */
  private def merged(before: FileMetaData, added: FileMetaData): FileMetaData = {
    if (shape(before) != shape(added))
      throw new IllegalStateException("A row group with other columns than those before it.")
    val groups = (before.getRow_groups.asScala ++ added.getRow_groups.asScala).toSeq
    added
      .deepCopy()
      .setSchema(before.getSchema)
      .setNum_rows(before.getNum_rows + added.getNum_rows)
      .setRow_groups(groups.zipWithIndex.map { case (group, ordinal) => numbered(group, ordinal) }.asJava)
  }

  // Only encryption needs the ordinal, so ordinals above two bytes are omitted.
  private def numbered(group: RowGroup, ordinal: Int): RowGroup = {
    val copy = group.deepCopy()
    if (ordinal <= Short.MaxValue) copy.setOrdinal(ordinal.toShort) else copy.unsetOrdinal()
    copy
  }

  // The fields needed to read pages. Spark versions differ in the fields for the meaning of values.
  private def shape(footer: FileMetaData): Seq[SchemaElement] =
    footer.getSchema.asScala.map { element =>
      val bare = new SchemaElement(element.getName)
      if (element.isSetType) bare.setType(element.getType)
      if (element.isSetType_length) bare.setType_length(element.getType_length)
      if (element.isSetRepetition_type) bare.setRepetition_type(element.getRepetition_type)
      if (element.isSetNum_children) bare.setNum_children(element.getNum_children)
      bare
    }.toSeq

  private def footer(tail: Array[Byte]): FileMetaData =
    Util.readFileMetaData(new ByteArrayInputStream(tail, 0, footerBytes(tail)))

  private def written(footer: FileMetaData): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, bytes)
    val length = ByteBuffer.allocate(LengthBytes).order(ByteOrder.LITTLE_ENDIAN).putInt(bytes.size)
    bytes.write(length.array)
    bytes.write(ParquetFileWriter.MAGIC)
    bytes.toByteArray
  }

  private def footerBytes(bytes: Array[Byte]): Int =
    ByteBuffer.wrap(bytes, bytes.length - SuffixBytes, LengthBytes).order(ByteOrder.LITTLE_ENDIAN).getInt

  private val LengthBytes = 4

  private val SuffixBytes = LengthBytes + ParquetFileWriter.MAGIC.length
}
