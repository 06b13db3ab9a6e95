// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.concurrent.TimeUnit

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.util.ShutdownHookManager
import org.apache.spark.sql.streaming.StreamingQuery

import stoplog.options.SparkHadoop

/** Stops queries between two micro-batches, so that no work is thrown away.
  *
  * `query.stop()` alone interrupts whatever runs. That loses nothing either, for the next start does the epoch again; but
  * it costs the work of a micro-batch, and parts that were open stay so.
  *
  * {{{
  * val query = sink.writeStream(events).option("checkpointLocation", checkpoint).start()
  * val onTerm = GracefulStop.onShutdown(query, timeoutMillis = 25000)
  * query.awaitTermination()
  * onTerm.close()
  * }}}
  */
object GracefulStop {

  /** Waits for the end of the micro-batch that runs, stops the query, and waits until its sink has done what it does at
    * the end.
    *
    * A sink of stoplog's begins no other micro-batch meanwhile. A query with another sink is stopped when the one that
    * runs now has ended, maybe with the next one just begun.
    *
    * @param timeoutMillis for all of it, in milliseconds; then the query is stopped wherever it is
    * @param open          what becomes of open parts
    */
  def afterBatch(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): Stopped = new Stopping(query, open).within(timeoutMillis)

  /** From now on, and until it is closed, the query is stopped like that when this JVM is asked to end, by SIGTERM for
    * example, before Spark stops its context.
    *
    * @param timeoutMillis less than the grace period before the JVM is killed: 30 s in Kubernetes
    */
  def onShutdown(
      query: StreamingQuery,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): AutoCloseable = {
    val hook: Runnable = () => if (query.isActive) { afterBatch(query, timeoutMillis, open); () }
    val hooks          = ShutdownHookManager.get()
    // Spark leaves the time to its hooks' end to Hadoop, which by itself waits for 30 s.
    hooks.addShutdownHook(hook, BeforeSpark, timeoutMillis + SlackMillis, TimeUnit.MILLISECONDS)
    () => if (!hooks.isShutdownInProgress) { hooks.removeShutdownHook(hook); () }
  }

  /** From now on, and until it is closed, the query is stopped like that when there is a file of this name. The file is
    * removed once it has stopped, so that the next start is not stopped by it.
    *
    * @param marker      a path of any file system that Spark knows, outside of the sink's
    * @param everyMillis how often it is looked for
    */
  def onMarker(
      query: StreamingQuery,
      marker: String,
      everyMillis: Long,
      timeoutMillis: Long,
      open: OpenAtStop = OpenAtStop.Finalize
  ): AutoCloseable = {
    val path   = new Path(marker)
    val system = FileSystem.get(path.toUri, SparkHadoop.configuration)
    StopMarker.watch(
      marker,
      () => query.isActive,
      () => system.exists(path),
      () => system.delete(path, false),
      () => afterBatch(query, timeoutMillis, open),
      everyMillis
    )
  }

  /** Spark's own hook, which stops the context, comes at Hadoop's for file systems and 30; what is higher comes first. */
  private final val BeforeSpark = FileSystem.SHUTDOWN_HOOK_PRIORITY + 50

  private final val SlackMillis = 5000L
}
