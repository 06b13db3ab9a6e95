package stoplog.format.orc

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.{TaskAttemptContext, TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.orc.{OrcConf, OrcFile, Reader}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.OutputWriter
import org.apache.spark.sql.execution.datasources.orc.OrcOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.format.Travel
import stoplog.format.bulk.{BlockOutput, BulkFormat}

/** A part in memory, as far as it has been written. */
final case class OrcPart(bytes: Array[Byte] = Array.empty, directory: Array[Byte] = Array.empty)

/** Parts written block by block, each by a format of its own, as tasks of different processes would. */
object OrcParts {

  def format(schema: StructType, options: (String, String)*): OrcBulk =
    OrcBulk(schema, options.toMap, new SQLConf, new Configuration())

  /** The copy that a task has of what a process made that knows only the text. */
  def rebuilt(format: OrcBulk, schema: StructType): BulkFormat = {
    val copy = Travel.toTask(OrcBulk.of(format.describe))
    copy.open(schema)
    copy
  }

  def block(format: BulkFormat, part: OrcPart, rows: Iterable[InternalRow]): OrcPart = {
    val out    = new MemoryOutput(part.bytes)
    val writer = format.block(out, part.directory)
    try {
      rows.foreach(writer.write)
      assert(out.position == part.bytes.length)
      val directory = writer.finish()
      OrcPart(out.bytes, directory)
    } finally writer.close()
  }

  def ended(format: BulkFormat, part: OrcPart): Array[Byte] = {
    val out = new MemoryOutput(part.bytes)
    format.end(out, part.directory)
    out.bytes
  }

  /** A whole file of these blocks. */
  def file(format: OrcBulk, schema: StructType, blocks: Seq[Seq[InternalRow]]): Array[Byte] = {
    val part = blocks.foldLeft(OrcPart())((part, rows) => block(rebuilt(format, schema), part, rows))
    ended(rebuilt(format, schema), part)
  }

  /** A whole file of blocks that end where they are full. */
  def filled(format: OrcBulk, schema: StructType, rows: Iterator[InternalRow], out: BlockOutput): Unit = {
    format.open(schema)
    var directory = Array.emptyByteArray
    while (rows.hasNext) {
      val writer = format.block(out, directory)
      while (rows.hasNext && writer.bufferedBytes < format.blockBytes) writer.write(rows.next())
      directory = writer.finish()
    }
    format.end(out, directory)
  }

  /** What a task of Spark's own ORC sink writes, without the job around it. */
  def sparks(schema: StructType, rows: Iterator[InternalRow], options: (String, String)*): Path = {
    val conf = new Configuration()
    options.foreach { case (key, value) => conf.set(key, value) }
    OrcConf.COMPRESS.setString(conf, new OrcOptions(options.toMap, new SQLConf).compressionCodec)
    val path    = Files.createTempDirectory("stoplog-orc").resolve("spark.orc")
    val attempt = new TaskAttemptContextImpl(conf, new TaskAttemptID("test", 0, TaskType.MAP, 0, 0))
    val writer  = sparksWriter(path, schema, attempt)
    rows.foreach(writer.write)
    writer.close()
    path
  }

  // Its class is for Spark alone, and what makes it for a task asks for a session.
  private def sparksWriter(path: Path, schema: StructType, attempt: TaskAttemptContext): OutputWriter =
    Class
      .forName("org.apache.spark.sql.execution.datasources.orc.OrcOutputWriter")
      .getConstructors
      .head
      .newInstance(path.toString, schema, attempt, Int.box(new SQLConf().orcVectorizedWriterBatchSize))
      .asInstanceOf[OutputWriter]

  def saved(bytes: Array[Byte]): Path =
    Files.write(Files.createTempDirectory("stoplog-orc").resolve("part.orc"), bytes)

  def reader(path: Path): Reader =
    OrcFile.createReader(
      new org.apache.hadoop.fs.Path(path.toUri),
      OrcFile.readerOptions(new Configuration())
    )
}

final class MemoryOutput(before: Array[Byte]) extends BlockOutput {

  private val out = new ByteArrayOutputStream
  out.write(before)

  def bytes: Array[Byte] = out.toByteArray

  override def position: Long = out.size.toLong

  override def write(byte: Int): Unit = out.write(byte)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = out.write(bytes, offset, length)
}
