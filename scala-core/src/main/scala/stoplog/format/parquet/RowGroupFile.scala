// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{FileMetaData, RowGroup, SchemaElement, Util}
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

import stoplog.part.BlockOutput

/** The end of a part, as parquet-hadoop sees it: a file of its own, of which one row group is written.
  *
  * A writer puts the magic first, then the pages, then indexes and Bloom filters, then the footer. Of these only the
  * pages, the indexes and the filters belong behind earlier row groups; they go straight to the part, at the offsets
  * that they have there. The magic goes with the first row group only, and the footer is held back.
  */
private[parquet] final class RowGroupFile(out: BlockOutput) extends PartFile {

  private val start                     = out.position
  private val beginning                 = new ByteArrayOutputStream
  private val ending                    = new ByteArrayOutputStream
  private var target: OutputStream      = beginning
  private var position: Long            = math.max(0, start - ParquetFileWriter.MAGIC.length)
  private lazy val (indexes, tailBytes) = ParquetTail.split(ending.toByteArray)

  /** Lets the row group through; before this, nothing reaches the part. */
  def release(): Unit = {
    if (start == 0) beginning.writeTo(out)
    target = out
  }

  /** Holds back all further bytes: the pages are over. */
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
}

/** A file without a name and without a block size of its own. */
private[parquet] sealed abstract class PartFile extends OutputFile {
  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)

  // No padding to blocks of the store: the rows were counted before their place was known.
  override def supportsBlockSize: Boolean = false
  override def defaultBlockSize: Long     = 0

  // Factories of encryption properties are asked for a path, and there is none yet that will last.
  override def getPath: String = PartFile.Name
}

private[parquet] object PartFile {
  val Name: String = "part.parquet"

  /** A part as parquet-hadoop sees it when it writes all of it. */
  final class Whole(out: BlockOutput) extends PartFile {
    override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
      override def getPos: Long                                              = out.position
      override def write(byte: Int): Unit                                    = out.write(byte)
      override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
        out.write(bytes, offset, length)
    }
  }
}

/** The end of a Parquet file: the footer, its length in four bytes, the magic. */
private[parquet] object ParquetTail {

  /** Bytes that end in a tail, as what is before it and the tail. */
  def split(bytes: Array[Byte]): (Array[Byte], Array[Byte]) =
    bytes.splitAt(bytes.length - SuffixBytes - footerBytes(bytes))

  /** The tail of a part, with a further row group.
    *
    * @param before the tail of the row groups so far; empty for none
    * @param added  the tail that the writer of the further one left
    */
  def append(before: Array[Byte], added: Array[Byte]): Array[Byte] =
    if (before.isEmpty) added else written(merged(footer(before), footer(added)))

  /** The newer writer speaks for the file, in Spark's metadata and in its own name; but the schema stays as it was. */
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

  // Only encryption needs the number, so that beyond what two bytes hold there may be none.
  private def numbered(group: RowGroup, ordinal: Int): RowGroup = {
    val copy = group.deepCopy()
    if (ordinal <= Short.MaxValue) copy.setOrdinal(ordinal.toShort) else copy.unsetOrdinal()
    copy
  }

  // The fields by which pages are read. Lines of Spark differ in those that tell of the meaning.
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
