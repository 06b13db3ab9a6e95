// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.{StringType, StructType}

import stoplog.part.BlockOutput
import stoplog.storage.SpoolFiles
import stoplog.util.UserObject
import stoplog.writing.{OnBadRow, PartFormat}

/** A format for schedules that have to replay: a row takes as much in a block, and on storage, as it does in memory. So
  * there is nothing to be learned of it, and what a task does never depends on what others have done in this process.
  *
  * A row is a line that is filled up with blanks, and the last line, behind `]`, tells where each block starts and how
  * many rows it has.
  *
  * @param describedAs how large blocks are for whoever makes the format again from its description
  * @param largeBytes  from this size on, blocks end with their epoch
  */
class LineBlocks(
    override val blockBytes: Long,
    describedAs: Long,
    override val largeBytes: Long = Long.MaxValue
) extends BlockFormat {
  def this(blockBytes: Long) = this(blockBytes, describedAs = blockBytes)
  def this(described: String) = this(described.toLong)

  override def suffix: String                 = ".blocks"
  override def describe: String               = describedAs.toString
  override def open(schema: StructType): Unit = require(schema == LineBlocks.schema)

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = new BlockWriter {
    private val text  = new ByteArrayOutputStream()
    private var bytes = 0L
    private var rows  = 0

    override def write(row: InternalRow): Unit = {
      val line = row.getUTF8String(0).getBytes
      val size = row.asInstanceOf[UnsafeRow].getSizeInBytes
      text.write(line)
      text.write((" " * (size - line.length - 1) + "\n").getBytes(UTF_8))
      bytes += size
      rows += 1
    }
    override def bufferedBytes: Long   = bytes
    override def close(): Unit         = ()
    override def finish(): Array[Byte] = {
      val start = out.position
      out.write(text.toByteArray)
      directory ++ s"$start:$rows ".getBytes(UTF_8)
    }
  }

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    out.write(s"]${new String(directory, UTF_8)}\n".getBytes(UTF_8))
}

object LineBlocks {
  private val schema = new StructType().add("value", StringType)

  /** Parts of lines, for one task, or for one part that the driver ends.
    *
    * @param line        what is written of a row
    * @param describedAs see [[LineBlocks]]
    * @param largeBytes  see [[LineBlocks]]
    */
  def parts(
      blockBytes: Long,
      spoolFiles: SpoolFiles,
      line: String => String = identity,
      describedAs: Option[Long] = None,
      largeBytes: Long = Long.MaxValue
  ): PartFormat[String] = {
    val format = new LineBlocks(blockBytes, describedAs.getOrElse(blockBytes), largeBytes)
    val sink   = BulkSink(
      BulkSink.UserFormat.Kind,
      schema,
      BulkSink.UserFormat(UserObject.reference(format, "bulkWriter")),
      PartLife.ManyEpochs
    )
    new MappedParts(new BulkParts(sink, identity, spoolFiles, OnBadRow.Fail))((row: String) =>
      TextRows.of(line(row))
    )
  }

  /** The rows of each block of a finished part. Fails on any other file. */
  def read(file: String): Vector[Vector[String]] = {
    val (body, end) = file.splitAt(file.lastIndexOf(']'))
    require(end.startsWith("]") && end.endsWith("\n"), "the end is missing")
    val blocks = end.drop(1).trim.split(' ').filter(_.nonEmpty).toVector.map(_.split(':').map(_.toInt))
    require(blocks.headOption.fold(body.length)(_(0)) == 0, "the first block is elsewhere")
    blocks.zip(blocks.drop(1).map(_(0)) :+ body.length).map { case (block, next) =>
      val rows = lines(body.substring(block(0), next))
      require(rows.size == block(1), s"${block(1)} rows are to be at ${block(0)}, and there are ${rows.size}")
      rows
    }
  }

  private def lines(blocks: String): Vector[String] = {
    require(blocks.isEmpty || blocks.endsWith("\n"), "a block is torn")
    blocks.linesIterator.map(_.stripTrailing).toVector
  }

  /** The rows in a spool file. */
  def beside(file: Array[Byte]): Vector[String] =
    SpoolFrames.rows(new ByteArrayInputStream(file), columns = 1).map(_.getString(0)).toVector

  /** The same spool file, but for the rows in it. */
  def withoutRows(file: InputStream): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    SpoolFrames.read(file).foreach {
      case SpoolFrames.Head(header) => SpoolFrames.write(header, out)
      case _                        => ()
    }
    out.toByteArray
  }
}
