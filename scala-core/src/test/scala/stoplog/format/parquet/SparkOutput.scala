// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.nio.file.{Files, Path}

import org.apache.hadoop.mapreduce.{Job, TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.storage.hadoop.HadoopDefaults

/** What a task of Spark's own Parquet sink writes, without the job around it. */
object SparkOutput {

  def file(
      schema: StructType,
      rows: Iterable[InternalRow],
      options: Map[String, String],
      session: SQLConf = Blocks.session()
  ): Array[Byte] = {
    val file = Files.createTempDirectory("stoplog-parquet").resolve("spark.parquet")
    write(file, schema, rows, options, session)
    Files.readAllBytes(file)
  }

  def write(
      file: Path,
      schema: StructType,
      rows: Iterable[InternalRow],
      options: Map[String, String],
      session: SQLConf = Blocks.session()
  ): Unit = {
    val conf = HadoopDefaults.configuration()
    options.foreach { case (key, value) => conf.set(key, value) }
    val job     = Job.getInstance(conf)
    val attempt = new TaskAttemptID("test", 0, TaskType.MAP, 0, 0)
    val writer  = SQLConf.withExistingConf(session) {
      val factory = ParquetUtils.prepareWrite(session, job, schema, new ParquetOptions(options, session))
      factory.newInstance(file.toString, schema, new TaskAttemptContextImpl(job.getConfiguration, attempt))
    }
    rows.foreach(writer.write)
    writer.close()
  }
}
