// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}
import java.util.concurrent.{
  CompletableFuture, ConcurrentHashMap, ConcurrentLinkedQueue, TimeUnit, TimeoutException
}

/** The most recently ended runs, and runs whose end is awaited.
  *
  * @param mostRuns the maximum number of remembered runs: a session may start a large number of queries
  */
private[spark] final class EndedRuns(mostRuns: Int) {
  import EndedRuns.Ended

  private val ends  = new ConcurrentHashMap[String, CompletableFuture[Ended]]()
  private val order = new ConcurrentLinkedQueue[String]()

  /** @param isDone  whether all final steps were completed
    * @param metrics the metrics at the end
    */
  def add(runId: String, isDone: Boolean, metrics: JMap[String, String]): Unit = {
    endOf(runId).complete(Ended(isDone, metrics))
    ()
  }

  /** Waits for the end of a run. Returns whether the run ended in time, with all final steps completed. */
  def await(runId: String, timeoutMillis: Long): Boolean =
    try endOf(runId).get(timeoutMillis, TimeUnit.MILLISECONDS).isDone
    catch { case _: TimeoutException => false }

  /** Returns the final metrics. Empty before the end of the run, and after the run is forgotten. */
  def metrics(runId: String): JMap[String, String] =
    Option(ends.get(runId))
      .flatMap(end => Option(end.getNow(null)))
      .fold(JMap.of[String, String]())(_.metrics)

  private def endOf(runId: String): CompletableFuture[Ended] = {
    val made = new CompletableFuture[Ended]
    Option(ends.putIfAbsent(runId, made)).getOrElse {
      order.add(runId)
      if (ends.size > mostRuns) Option(order.poll()).foreach(ends.remove(_))
      made
    }
  }
}

private object EndedRuns {
  final case class Ended(isDone: Boolean, metrics: JMap[String, String])
}
