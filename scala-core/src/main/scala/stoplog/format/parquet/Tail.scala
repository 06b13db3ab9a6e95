// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{FileMetaData, RowGroup, SchemaElement, Util}
import org.apache.parquet.hadoop.ParquetFileWriter

/** The end of a Parquet file: the footer, its length in four bytes, the magic. */
private[parquet] object Tail {

  /** Bytes that end in a tail, as what is before it and the tail. */
  def split(bytes: Array[Byte]): (Array[Byte], Array[Byte]) =
    bytes.splitAt(bytes.length - SuffixBytes - footerBytes(bytes))

  /** The tail of a part, with a further row group.
    *
    * @param before
    *   the tail of the row groups so far; empty for none
    * @param added
    *   the tail that the writer of the further one left
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

  // What decides on how pages are read. Lines of Spark differ in what they say of the meaning.
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
