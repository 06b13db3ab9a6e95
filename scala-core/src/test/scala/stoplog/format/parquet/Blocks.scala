package stoplog.format.parquet

import java.io.ByteArrayOutputStream

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.{BlockOutput, BulkFormat}

/** A part in memory, as far as it has been written. */
final case class PartBytes(bytes: Array[Byte] = Array.empty, directory: Array[Byte] = Array.empty)

/** Parts written block by block, each by a format of its own, as tasks of different processes would. */
object Blocks {

  /** The settings of a session that was told nothing but these. */
  def session(settings: (String, String)*): SQLConf = {
    val conf = new SQLConf
    (("spark.sql.session.timeZone" -> "UTC") +: settings).foreach { case (key, value) =>
      conf.setConfString(key, value)
    }
    conf
  }

  def format(
      schema: StructType,
      options: Map[String, String] = Map.empty,
      session: SQLConf = Blocks.session()
  ): ParquetBulk = ParquetBulk(schema, options, session, new Configuration())

  /** The copy that a process would have that knows only the text. */
  def rebuilt(format: ParquetBulk, schema: StructType): BulkFormat = {
    val copy = ParquetBulk.of(format.describe)
    copy.open(schema)
    copy
  }

  def block(format: BulkFormat, part: PartBytes, rows: Iterable[InternalRow]): PartBytes = {
    val out    = new MemoryOutput(part.bytes)
    val writer = format.block(out, part.directory)
    try {
      rows.foreach(writer.write)
      val directory = writer.finish()
      PartBytes(out.bytes, directory)
    } finally writer.close()
  }

  def ended(format: BulkFormat, part: PartBytes): Array[Byte] = {
    val out = new MemoryOutput(part.bytes)
    format.end(out, part.directory)
    out.bytes
  }

  /** A whole file of these blocks. */
  def file(format: ParquetBulk, schema: StructType, blocks: Seq[Seq[InternalRow]]): Array[Byte] = {
    val part = blocks.foldLeft(PartBytes())((part, rows) => block(rebuilt(format, schema), part, rows))
    ended(rebuilt(format, schema), part)
  }
}

final class MemoryOutput(before: Array[Byte]) extends BlockOutput {

  private val out = new ByteArrayOutputStream
  out.write(before)

  def bytes: Array[Byte] = out.toByteArray

  override def position: Long = out.size.toLong

  override def write(byte: Int): Unit = out.write(byte)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = out.write(bytes, offset, length)
}
