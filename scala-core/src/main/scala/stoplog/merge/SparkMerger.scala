// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import java.util.UUID
import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.SparkContext

import stoplog.commit.{Merge, Merged, Merger, Merging}
import stoplog.compact.{CompactionInput, Compactor, MergedOutput}
import stoplog.fault.Faults
import stoplog.part.Closed
import stoplog.place.SinkStorage
import stoplog.storage.hadoop.HadoopSettings
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

/** One merge, as a task does it. */
private[stoplog] final case class MergeWork(
    merge: Merge,
    storage: SinkStorage,
    compactor: Compactor,
    hadoop: HadoopSettings
) {

  /** The token of the merged part, and its size in bytes. An attempt writes where no other does (I1). */
  def run(): (String, Long) = {
    val inputs = merge.inputs.map { part =>
      CompactionInput(storage.pathOf(part.path), part.sizeBytes, hadoop.configuration)
    }
    inputs.foreach(refuseIfChanged)
    Using.resource(new MergedOutput(storage.parts.create(merge.part), Faults.ofThisJvm)) { out =>
      compactor.compact(inputs, out)
      if (out.position == 0) throw new IllegalStateException(s"$compactor has written nothing")
      val handle = out.finish()
      (handle.token, out.position)
    }
  }

  private def refuseIfChanged(input: CompactionInput): Unit = {
    val actual = input.path.getFileSystem(input.configuration).getFileStatus(input.path).getLen
    if (actual != input.sizeBytes)
      throw new IllegalStateException(
        s"${input.path} has $actual bytes, and had ${input.sizeBytes} when it was published"
      )
  }
}
