// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import java.util.concurrent.{
  Callable, ExecutionException, ExecutorService, Executors, Future, TimeUnit, TimeoutException
}

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Try}

import stoplog.storage.Storage
import stoplog.thread.{Clock, Daemons}

/** The races for all promises of a storage, with a limit of time.
  *
  * @param limitMillis  the time for all races. Each promise gets its share by the number of its races, and
  *                     the time that earlier promises have not used
  * @param patienceMillis the additional time for the requests that run at the end of a share. After a promise
  *                       whose requests do not end in time, no further promise is tried
  */
private[qualify] final class StoreRaces(
    storage: Storage,
    clock: Clock,
    limitMillis: Long,
    patienceMillis: Long,
    watch: StoreQualification.Watch
) {
  private val beginMillis = clock.elapsedMillis()
  private val endMillis   = beginMillis + limitMillis
  private val done        = new AtomicInteger
  private val total       = new AtomicInteger

  @volatile private var isHanging = false

  /** Returns the result for each promise that was tried, in the same order. Throws a `LinkageError` of the
    * storage's client: the jars of the client are at fault, and the storage was not tried.
    */
  def run(promises: Vector[Promise]): Vector[TriedPromise] = {
    val pool = Executors.newCachedThreadPool(Daemons.named("stoplog-qualify"))
    total.set(promises.map(_.races).sum)
    try run(promises, pool, Vector.empty)
    finally {
      pool.shutdownNow()
      pool.awaitTermination(patienceMillis, TimeUnit.MILLISECONDS): Unit
    }
  }

  @tailrec
  private def run(
      left: Vector[Promise],
      pool: ExecutorService,
      results: Vector[TriedPromise]
  ): Vector[TriedPromise] =
    if (left.isEmpty || isHanging) results
    else run(left.tail, pool, results :+ tried(left.head, share(left), pool))

  private def share(left: Vector[Promise]): Long = {
    val millis = (endMillis - clock.elapsedMillis()).max(0)
    millis * left.head.races / left.map(_.races).sum
  }

  private def tried(promise: Promise, millis: Long, pool: ExecutorService): TriedPromise = {
    val lanes = new Lanes(promise, clock.elapsedMillis() + millis)
    val ended = Vector.fill(StoreRaces.Lanes) {
      pool.submit((() => lanes.run(new Racers(storage, pool))): Callable[Unit])
    }
    val lastMillis = clock.elapsedMillis() + millis + patienceMillis
    ended.foreach(lane => await(lane, (lastMillis - clock.elapsedMillis()).max(0), lanes))
    total.addAndGet(lanes.raced - promise.races)
    TriedPromise(promise.name, promise.what, lanes.raced, lanes.violation)
  }

  private def await(lane: Future[_], millis: Long, lanes: Lanes): Unit =
    Try(lane.get(millis, TimeUnit.MILLISECONDS)) match {
      case Failure(_: TimeoutException) =>
        isHanging = true
        lanes.break("requests did not end in time: the storage hangs, or is too slow")
      case Failure(e: ExecutionException) => throw e.getCause
      case _                              => ()
    }

  /** Returns the number of races in all, as far as the time allows them at the present speed. */
  private def expected(ended: Int): Int = {
    val millis = (clock.elapsedMillis() - beginMillis).max(1)
    (ended.toLong * limitMillis / millis).max(ended.toLong).min(total.get().toLong).toInt
  }

  /** The races for one promise. Each lane runs one race after another. */
  private final class Lanes(promise: Promise, deadlineMillis: Long) {
    private val next   = new AtomicInteger
    private val ended  = new AtomicInteger
    private val broken = new AtomicReference[Option[String]](None)

    def raced: Int = ended.get()

    def violation: Option[String] = broken.get()

    def break(why: String): Unit = broken.compareAndSet(None, Some(why)): Unit

    /** Runs at least one race, so that a slow storage is tried as well. */
    def run(racers: Racers): Unit = {
      var round = next.getAndIncrement()
      while (
        violation.isEmpty && round < promise.races && (round < StoreRaces.Lanes || clock
          .elapsedMillis() < deadlineMillis)
      ) {
        race(racers, round).foreach(why => break(s"$why (race ${round + 1})"))
        ended.incrementAndGet()
        val all = done.incrementAndGet()
        watch(all, expected(all))
        round = next.getAndIncrement()
      }
    }

    private def race(racers: Racers, round: Int): Option[String] =
      try promise.race(racers, promise.name, round)
      catch {
        case NonFatal(e) =>
          Racers.misfit(e).foreach(throw _)
          Some(s"a request failed: ${Racers.reason(e)}")
      }
  }
}

private object StoreRaces {

  /** The number of concurrent races. */
  private final val Lanes = 4
}
