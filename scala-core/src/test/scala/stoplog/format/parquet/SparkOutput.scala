package stoplog.format.parquet

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** What a task of Spark's own Parquet sink writes, without the job around it. */
object SparkOutput {

  def file(schema: StructType, rows: Iterable[InternalRow], options: Map[String, String]): Array[Byte] = {
    val conf = new Configuration()
    options.foreach { case (key, value) => conf.set(key, value) }
    val session = Blocks.session()
    val job     = Job.getInstance(conf)
    val factory = SQLConf.withExistingConf(session) {
      ParquetUtils.prepareWrite(session, job, schema, new ParquetOptions(options, session))
    }
    val attempt = new TaskAttemptID("test", 0, TaskType.MAP, 0, 0)
    val file    = Files.createTempDirectory("stoplog-parquet").resolve("spark.parquet")
    val context = new TaskAttemptContextImpl(job.getConfiguration, attempt)
    val writer  = SQLConf.withExistingConf(session)(factory.newInstance(file.toString, schema, context))
    rows.foreach(writer.write)
    writer.close()
    Files.readAllBytes(file)
  }
}
