// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerStageCompleted}
import org.apache.spark.sql.SparkSession

/** What Spark tells its listeners that tasks have written and read. */
final case class StageOutput(rows: Long, bytes: Long, inputBytes: Long = 0)

object StageOutput {

  /** Of all stages that end while something is done. */
  def of(spark: SparkSession)(action: => Any): StageOutput = {
    val rows    = new AtomicLong
    val bytes   = new AtomicLong
    val input   = new AtomicLong
    val over    = new CountDownLatch(1)
    val watcher = new SparkListener {
      override def onStageCompleted(stage: SparkListenerStageCompleted): Unit = {
        rows.addAndGet(stage.stageInfo.taskMetrics.outputMetrics.recordsWritten)
        bytes.addAndGet(stage.stageInfo.taskMetrics.outputMetrics.bytesWritten)
        input.addAndGet(stage.stageInfo.taskMetrics.inputMetrics.bytesRead)
        ()
      }
      // Listeners are told in order: once a later job has begun, they know of all that was before it.
      override def onJobStart(job: SparkListenerJobStart): Unit =
        if (Option(job.properties).exists(_.getProperty("spark.job.description") == Last)) over.countDown()
    }
    val context = spark.sparkContext
    context.addSparkListener(watcher)
    try {
      action
      context.setJobDescription(Last)
      context.parallelize(Seq(1), 1).count()
      assert(over.await(5, TimeUnit.MINUTES), "the listener has heard nothing")
      StageOutput(rows.get, bytes.get, input.get)
    } finally {
      context.setJobDescription(null)
      context.removeSparkListener(watcher)
    }
  }

  private final val Last = "after what is measured"
}
