// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.Try

import org.apache.spark.SparkContext

import stoplog.place.SinkStorage
import stoplog.storage.SinkDirectory

/** A look from the executors at a path: the driver writes a file there, and tasks look for it (I7). */
private[filesink] object HostTrial {

  /** Returns the number of tasks that have looked. Removes the file.
    *
    * @param scratch of a sink id that is used for this alone
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
