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

  def add(runId: String, ended: Ended): Unit = {
    endOf(runId).complete(ended)
    ()
  }

  /** Waits for the end of a run. Returns `None` if the run has not ended in time. */
  def await(runId: String, timeoutMillis: Long): Option[Ended] =
    try Some(endOf(runId).get(timeoutMillis, TimeUnit.MILLISECONDS))
    catch { case _: TimeoutException => None }

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

private[spark] object EndedRuns {

  /** @param isDone  whether all final steps were completed
    * @param isWhole whether no epoch was interrupted, whose rows the next start repeats
    * @param metrics the metrics at the end
    */
  final case class Ended(isDone: Boolean, isWhole: Boolean, metrics: JMap[String, String])
}
