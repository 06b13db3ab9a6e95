// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Paths

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

import stoplog.storage.s3.S3Bucket

/** A query that copies lines to S3, also as a process of its own that can be killed. */
object S3Victim {

  def configure(spark: SparkSession, endpoint: String): Unit = {
    val settings = S3Bucket(endpoint, "stoplog").conf.asScala.filter(_.getKey.startsWith("fs.s3a."))
    settings.foreach(entry => spark.sparkContext.hadoopConfiguration.set(entry.getKey, entry.getValue))
  }

  /** One file of lines is one epoch. Returns when the query has ended, and what it ends with is done. */
  def run(
      spark: SparkSession,
      input: String,
      path: String,
      checkpoint: String,
      finalizing: String,
      options: Map[String, String] = SinkRuns.Text
  ): Unit = {
    val rows = spark.readStream.option("maxFilesPerTrigger", 1).text(input)
    SinkRuns.run(SinkRuns.writer(rows, path, checkpoint, finalizing, options))
  }

  /** The same in another JVM, with faults. */
  def start(endpoint: String, input: String, path: String, checkpoint: String, faults: String): Process = {
    val options = java.lang.management.ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
    val opens   = options.filter(_.startsWith("--add-opens"))
    val command =
      Seq(Paths.get(System.getProperty("java.home"), "bin", "java").toString, "-Xmx700m") ++
        Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC") ++
        Seq("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote") ++ opens ++
        Seq(
          s"-Dstoplog.faults=$faults",
          s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}",
          "-cp",
          System.getProperty("java.class.path"),
          "stoplog.spark.S3VictimMain"
        ) ++
        Seq(endpoint, input, path, checkpoint)
    new ProcessBuilder(command.asJava).inheritIO().start()
  }
}

object S3VictimMain {

  /** The arguments of [[S3Victim.start]] but the faults, which are a property. */
  def main(args: Array[String]): Unit = args.toSeq match {
    case Seq(endpoint, input, path, checkpoint) =>
      val spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
      S3Victim.configure(spark, endpoint)
      S3Victim.run(spark, input, path, checkpoint, finalizing = "always")
      spark.stop()
    case _ => throw new IllegalArgumentException("needed: endpoint, input, path, checkpoint")
  }
}
