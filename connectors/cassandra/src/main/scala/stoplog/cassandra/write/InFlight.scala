// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.util.concurrent.{
  CompletionStage, ConcurrentHashMap, ScheduledExecutorService, Semaphore, TimeUnit
}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, AtomicReference}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.DriverTimeoutException

import stoplog.cassandra.client.{RequestCauses, RequestRetries}

/** Requests that are under way: at most so many, each sent again while there is hope.
  *
  * For one thread that sends; the answers come in the driver's threads. The place of each request is free in
  * the end: a request that the driver forgets is one that has failed, and so is one whose answer cannot be worked on.
  *
  * @param limit        how many at most; a thread that sends one more waits
  * @param answerMillis how long an answer may take; more than the driver's own timeout, which is to come first
  * @param timer        for the pauses before a request is sent again
  */
private[cassandra] final class InFlight(
    limit: Int,
    retries: RequestRetries,
    answerMillis: Long,
    timer: ScheduledExecutorService
) {
  private val room     = new Semaphore(limit)
  private val underWay = ConcurrentHashMap.newKeySet[Call]()
  private val failure  = new AtomicReference[Throwable]
  private val sent     = new AtomicLong
  private val again    = new AtomicLong
  private val most     = new AtomicInteger

  /** Sends a request as soon as there is room; it may be sent several times.
    *
    * Error: the first failure of any request until now.
    *
    * @param blame makes the failure of it, once no more is tried
    */
  def send(request: () => CompletionStage[_], blame: Throwable => Throwable): Unit = {
    throwFailure()
    acquire(1)
    val now = limit - room.availablePermits
    if (now > most.get) most.set(now)
    sent.incrementAndGet()
    val call = new Call(request, blame)
    underWay.add(call)
    call.attempt(1)
  }

  /** Returns when nothing is under way. Error: the first failure of any request. */
  def await(): Unit = {
    acquire(limit)
    room.release(limit)
    throwFailure()
  }

  def counts: InFlight.Counts = InFlight.Counts(sent.get, again.get, most.get)

  /** Waits; and looks after the requests while it does, because the driver's answer is not all that can be missing. */
  private def acquire(permits: Int): Unit =
    while (!room.tryAcquire(permits, answerMillis, TimeUnit.MILLISECONDS))
      underWay.asScala.foreach(_.failIfOverdue())

  private def throwFailure(): Unit = Option(failure.get).foreach(e => throw e)

  /** One request, however often it is sent. */
  private final class Call(request: () => CompletionStage[_], blame: Throwable => Throwable) {
    private val begunNanos = System.nanoTime()
    private val waitsFor   = new AtomicReference[Sent]

    def attempt(number: Int): Unit = {
      val now = new Sent(number)
      waitsFor.set(now)
      try {
        request().whenComplete((_, failed) => answered(now, failed))
        ()
      } catch { case e: Throwable => answered(now, e) }
    }

    def failIfOverdue(): Unit = Option(waitsFor.get)
      .filter(sent => System.nanoTime() - sent.nanos >= answerMillis * 1000000)
      .foreach(answered(_, new DriverTimeoutException(s"no answer in $answerMillis ms")))

    /** Only the first answer counts, and none that comes when the request was sent again. */
    private def answered(to: Sent, failed: Throwable): Unit = if (waitsFor.compareAndSet(to, null))
      // In a thread of the driver's or the timer's: no other code would hear of an exception.
      try
        if (failed == null) over()
        else if (!triedAgain(to.number, failed)) failedForGood(blame(failed))
      catch { case e: Throwable => failedForGood(e) }

    private def triedAgain(number: Int, failed: Throwable): Boolean = {
      val elapsedMillis = (System.nanoTime() - begunNanos) / 1000000
      val pause =
        // Once one has failed for good, the task is over: there is no use in keeping up the others.
        if (RequestCauses.isTransient(failed) && failure.get == null)
          retries.pauseMillis(number, elapsedMillis)
        else None
      pause.foreach { millis =>
        again.incrementAndGet()
        timer.schedule((() => attempt(number + 1)): Runnable, millis, TimeUnit.MILLISECONDS)
      }
      pause.isDefined
    }

    private def failedForGood(e: Throwable): Unit = {
      failure.compareAndSet(null, e)
      over()
    }

    private def over(): Unit = {
      underWay.remove(this)
      room.release()
    }
  }

  /** A try that has not been answered. Compared by identity. */
  private final class Sent(val number: Int) {
    val nanos: Long = System.nanoTime()
  }
}

private[cassandra] object InFlight {

  /** @param requests that were sent, each counted once
    * @param retries  how often one was sent again
    * @param most     how many were under way at once
    */
  final case class Counts(requests: Long, retries: Long, most: Int)
}
