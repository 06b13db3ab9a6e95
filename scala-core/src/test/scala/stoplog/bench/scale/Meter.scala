// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.scale

import scala.collection.mutable

import stoplog.thread.Parallel

/** Counts the requests to a simulated storage, and adds up their response times. No call waits.
  *
  * Only requests of the thread that created the meter count: an epoch does not wait for others, such as the listing of a
  * sweep.
  */
private[scale] final class Meter {
  private val waiting     = Thread.currentThread
  private val asked       = mutable.LinkedHashMap.empty[String, Long]
  private var spentMillis = 0.0

  /** Notes requests that are made one after the other.
    *
    * @param millis of all of them
    */
  def ask(request: String, count: Long, millis: Double): Unit = if (Thread.currentThread eq waiting) {
    asked(request) = asked.getOrElse(request, 0L) + count
    spentMillis += millis
  }

  /** Requests of `action` are made by so many threads, which share their time. */
  def together[A](threads: Int)(action: => A): A = {
    val before = spentMillis
    val result = action
    spentMillis = before + (spentMillis - before) / threads
    result
  }

  def millis: Double = spentMillis

  def requests: Map[String, Long] = asked.toMap
}

/** The driver's threads, of which the simulation runs one after the other and counts the time as if they ran side by side. */
private[scale] final class MeteredParallel(meter: Meter, threads: Int) extends Parallel {
  override def map[A, B](items: Seq[A])(action: A => B): Seq[B] = mapWork(items, threads)(action)

  override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] =
    meter.together(atOnce.min(threads).min(items.size.max(1)))(items.toVector.map(action))

  override def uninterrupted[A](action: => A): A = action
}
