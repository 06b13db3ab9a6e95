// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.file.{Files, Path}

import org.apache.hadoop.mapreduce.{TaskAttemptContext, TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.orc.{OrcConf, OrcFile, Reader}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.OutputWriter
import org.apache.spark.sql.execution.datasources.orc.OrcOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.format.TaskSerialization
import stoplog.format.bulk.{BlockFormat, GrowingPart, PartInBlocks}
import stoplog.storage.hadoop.HadoopDefaults

/** Parts written block by block, each by a format of its own, as tasks of different processes would. */
object OrcParts {

  def format(schema: StructType, options: (String, String)*): OrcBulk =
    OrcBulk(schema, options.toMap, new SQLConf, HadoopDefaults.configuration())

  /** The copy that a task has of what a process made that knows only the text. */
  def rebuilt(format: OrcBulk, schema: StructType): BlockFormat = {
    val copy = TaskSerialization.toTask(OrcBulk.of(format.describe))
    copy.open(schema)
    copy
  }

  /** A whole file of these blocks. */
  def file(format: OrcBulk, schema: StructType, blocks: Seq[Seq[InternalRow]]): Array[Byte] = {
    val part = blocks.foldLeft(PartInBlocks())(_.block(rebuilt(format, schema), _))
    part.ended(rebuilt(format, schema))
  }

  /** A whole file of blocks that end where they are full. */
  def filled(schema: StructType, rows: Iterator[InternalRow], options: (String, String)*): Array[Byte] = {
    val out = new GrowingPart.End(Array.empty)
    PartInBlocks.fill(rebuilt(format(schema, options: _*), schema), rows, out)
    out.bytes
  }

  /** What a task of Spark's own ORC sink writes, without the job around it. */
  def sparks(schema: StructType, rows: Iterator[InternalRow], options: (String, String)*): Path = {
    val conf = HadoopDefaults.configuration()
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
      OrcFile.readerOptions(HadoopDefaults.configuration())
    )
}
