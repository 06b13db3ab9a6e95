// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.util.concurrent.{
  CompletionStage, ConcurrentHashMap, ScheduledExecutorService, Semaphore, TimeUnit
}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, AtomicReference}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.DriverTimeoutException

import stoplog.cassandra.client.{RequestCauses, RequestRetries}
import stoplog.thread.StopSignal

/** A bounded set of in-flight requests, each retried after transient failures until its deadline.
  *
  * One thread sends requests; responses arrive in the driver's threads. Every request eventually releases its
  * slot: lost responses and exceptions in the response's handling count as failures.
  *
  * @param limit        the maximum number of requests; a thread that sends a further request waits
  * @param answerMillis the time limit of a response; exceeds the driver's own timeout, which should expire
  *                     first
  * @param timer        schedules the retries
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

  /** Sends a request as soon as a slot is free; retries may send the request several times.
    *
    * Error: the first failure of any earlier request.
    *
    * @param blame creates the request's error after the last attempt
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

  /** Waits until no requests are in flight. Error: the first failure of any request. */
  def await(): Unit = {
    acquire(limit)
    room.release(limit)
    throwFailure()
  }

  def counts: InFlight.Counts = InFlight.Counts(sent.get, again.get, most.get)

  /** Waits for permits, and meanwhile fails overdue requests, because the driver may lose responses. */
  private def acquire(permits: Int): Unit =
    while (
      !StopSignal.ofThisThread.waitUntil(answerMillis)(room.tryAcquire(permits, _, TimeUnit.MILLISECONDS))
    ) underWay.asScala.foreach(_.failIfOverdue())

  private def throwFailure(): Unit = Option(failure.get).foreach(e => throw e)

  /** A request with all its attempts. */
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
      .foreach(answered(_, new DriverTimeoutException(s"no response in $answerMillis ms")))

    /** Handles only the first response of the current attempt. */
    private def answered(to: Sent, failed: Throwable): Unit = if (waitsFor.compareAndSet(to, null))
      // Runs in a thread of the driver or the timer, where an exception would be lost.
      try
        if (failed == null) over()
        else if (!triedAgain(to.number, failed)) failedForGood(blame(failed))
      catch { case e: Throwable => failedForGood(e) }

    private def triedAgain(number: Int, failed: Throwable): Boolean = {
      val elapsedMillis = (System.nanoTime() - begunNanos) / 1000000
      val pause =
        // After a permanent failure, the task has failed, and retries of other requests are useless.
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

  /** An attempt without a response. Compared by identity. */
  private final class Sent(val number: Int) {
    val nanos: Long = System.nanoTime()
  }
}

private[cassandra] object InFlight {

  /** @param requests the number of requests, without retries
    * @param retries  the number of retries
    * @param most     the maximum number of requests in flight
    */
  final case class Counts(requests: Long, retries: Long, most: Int)
}
