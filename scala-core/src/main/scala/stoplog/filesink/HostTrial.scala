// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.Try

import org.apache.spark.SparkContext

import stoplog.storage.SinkDirectory
import stoplog.stores.SinkStorage

/** Checks a path from the executors: the driver writes a file, and tasks read the file (I7). */
private[filesink] object HostTrial {

  /** Runs the check and deletes the file. Returns the number of tasks.
    *
    * @param scratch the storage of a sink id used only for this check
    *
    * Errors: `STOPLOG_PATH_NOT_SHARED`, `STOPLOG_NETWORK_FILE_SYSTEM`.
    */
  def run(scratch: SinkStorage, context: SparkContext): Int = {
    val file = s"${SinkDirectory(scratch.sinkId).path}/sight"
    scratch.files.putIfAbsent(file, Content)
    try {
      val tasks  = context.defaultParallelism.max(LeastTasks).min(MostTasks)
      val errors = context.parallelize(0 until tasks, tasks).map(_ => error(scratch, file)).collect()
      errors.flatten.headOption.foreach(throw _)
      tasks
    } finally scratch.files.deleteTree(SinkDirectory(scratch.sinkId).path)
  }

  private def error(scratch: SinkStorage, file: String): Option[Throwable] =
    Try(scratch.refuseUnseen(file)).failed.toOption

  private val Content          = Array[Byte]('?')
  private final val LeastTasks = 2
  private final val MostTasks  = 64
}
