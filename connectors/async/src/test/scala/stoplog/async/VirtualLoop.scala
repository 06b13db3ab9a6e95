// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.collection.mutable
import scala.concurrent.{Future, Promise}
import scala.util.Try

import stoplog.async.EventLoop.Timer

/** A loop whose time passes only when there is nothing else to do. */
final class VirtualLoop extends EventLoop {

  private val posted = mutable.Queue.empty[() => Unit]
  private val timers = mutable.TreeMap.empty[(Long, Int), () => Unit]
  private var made   = 0
  private var now    = 0L

  override def nowNanos: Long = now

  def seconds: Double = now / 1e9

  /** As if the thread had been busy. */
  def elapse(seconds: Double): Unit = now += (seconds * 1e9).toLong

  override def after(delayNanos: Long)(run: () => Unit): Timer = {
    made += 1
    val key = (EventLoop.due(now, delayNanos), made)
    timers.put(key, run)
    () => timers.remove(key)
  }

  override def post(run: () => Unit): Unit = posted.enqueue(run)

  override def runNext(): Unit =
    if (posted.nonEmpty) posted.dequeue()()
    else {
      val (key, run) = timers.head
      timers.remove(key)
      now = math.max(now, key._1)
      run()
    }

  /** What a service answers after a time. */
  def answer[T](afterSeconds: Double)(value: => T): Future[T] = {
    val promise = Promise[T]()
    after((afterSeconds * 1e9).toLong) { () =>
      promise.complete(Try(value))
      ()
    }
    promise.future
  }
}
