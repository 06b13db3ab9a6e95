// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.collection.mutable

import stoplog.part.Open
import stoplog.plan.{Attempt, TaskPlan}
import stoplog.storage.PartStore
import stoplog.thread.{Clock, Stopwatch}

/** The open parts handed to a task, and the task's rights to these parts (I1, P-49).
  *
  * A part of an earlier run is fenced when the task needs the part. From its second look on, a task fences
  * some more parts at the same time: a store waits for the writers of many parts at once. So the start of a
  * run does not depend on the number of open parts.
  */
private[writing] final class HandedParts(plan: TaskPlan, store: PartStore, clock: Clock) {
  import HandedParts._

  private[this] val waiting = mutable.Map.from(plan.handed.groupBy(_.bucket))

  // The parts of earlier runs whose writers may be alive, and the parts fenced by this task.
  private[this] lazy val foreign = mutable.LinkedHashMap.from(
    plan.handed.filter(_.owner.exists(_ != plan.run)).map(part => part.finishedPath -> part)
  )
  private[this] val fenced = mutable.Map.empty[String, Open]
  private[this] var atOnce = 1

  /** Returns the next part of the bucket. Its owner is this run if the task may append in place. Otherwise
    * the part has no owner, and the task must continue in a copy.
    *
    * Called after the announcement of the task. Error: `STOPLOG_STORE_WRITE`.
    */
  def next(bucket: String): Option[Open] = waiting.get(bucket).flatMap { parts =>
    waiting.update(bucket, parts.drop(1))
    parts.headOption.map(owned)
  }

  private def owned(part: Open): Open =
    // Another attempt may have received the same parts, and may write to them in place.
    if (plan.attempt != Attempt.First) part.ownedBy(None)
    else if (part.owner.forall(_ == plan.run)) part
    else fenced.remove(part.finishedPath).getOrElse(fence(part))

  private def fence(part: Open): Open = {
    foreign.remove(part.finishedPath)
    val looked  = part +: foreign.valuesIterator.take(atOnce - 1).toVector
    val started = new Stopwatch(clock)
    val found   = store.fenced(plan.run, looked)
    looked.foreach(each => foreign.remove(each.finishedPath))
    fenced ++= found.tail.map(each => each.finishedPath -> each)
    if (started.longestMillis >= SlowMillis) atOnce = (atOnce * 4).min(MostAtOnce)
    atOnce = atOnce.max(PartsAtOnce) // a task that needs a second part may need many
    found.head
  }
}

private[writing] object HandedParts {

  /** As many as HDFS looks for at the same time; the look takes as long as for one part. */
  private final val PartsAtOnce = 16
  private final val MostAtOnce  = 1024

  /** Milliseconds. A look that takes longer waits for a writer that died, and other parts may have the same
    * writer. So the next look covers more parts.
    */
  private final val SlowMillis = 200L
}
