// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import java.util.UUID
import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.util.control.NonFatal

import org.apache.spark.SparkContext

import stoplog.commit.{Merge, Merged, Merger, Merging}
import stoplog.compact.Compactor
import stoplog.part.Closed
import stoplog.place.SinkStorage
import stoplog.store.hadoop.HadoopSettings
import stoplog.thread.Daemons

/** Merges parts in Spark's tasks: each merge is a job of its own with one task. */
private[stoplog] final class SparkMerger(context: SparkContext, storage: SinkStorage, compactor: Compactor)
    extends Merger {

  override def start(merge: Merge): Merging = {
    val work = MergeWork(merge, storage, compactor, new HadoopSettings(context.hadoopConfiguration))
    new SparkMerger.Running(
      SparkMerger.threads.submit((() => SparkMerger.run(context, work)): Callable[Merged])
    )
  }
}

private[stoplog] object SparkMerger {

  /** Runs the job on the caller's thread, which keeps nothing of it. */
  def run(context: SparkContext, work: MergeWork): Merged = {
    val merge = work.merge
    context.setJobGroup(
      s"stoplog-merge-${UUID.randomUUID()}",
      s"stoplog: ${merge.inputs.size} parts of '${merge.part.bucket}' under ${work.storage.path} become one"
    )
    try {
      val (token, sizeBytes) = context.parallelize(Seq(0), 1).map(_ => work.run()).collect().head
      Merged(Closed(token), sizeBytes)
    } finally context.clearJobGroup()
  }

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-merge"))

  private final class Running(future: Future[Merged]) extends Merging {
    override def result: Option[Either[Throwable, Merged]] = Option.when(future.isDone)(outcome)

    override def await(): Unit = {
      outcome
      ()
    }

    private def outcome: Either[Throwable, Merged] =
      try Right(future.get())
      catch {
        case e: ExecutionException => Left(e.getCause)
        case NonFatal(e)           => Left(e)
      }
  }
}
