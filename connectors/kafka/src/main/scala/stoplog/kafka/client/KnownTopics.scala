// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import java.util.concurrent.ExecutionException

import scala.annotation.tailrec

import org.apache.kafka.common.KafkaFuture
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException

import stoplog.thread.{Backoff, Clock, Stopwatch}

/** Requests about topics that exist. Brokers learn of a new topic one after another. Until then, a broker
  * responds that the topic is unknown.
  *
  * @param pause waits for a number of milliseconds
  */
private[kafka] final class KnownTopics(timeoutMillis: Long, clock: Clock, pause: Long => Unit) {

  /** Returns the result. Repeats the request as long as the broker does not know the topic, up to the time
    * limit. Throws `ExecutionException` as the client does.
    */
  def ask[A](request: => KafkaFuture[A]): A = {
    val watch = new Stopwatch(clock)
    @tailrec
    def attempt(tries: Int): A = {
      val result =
        try Some(request.get())
        catch {
          case e: ExecutionException
              if e.getCause.isInstanceOf[UnknownTopicOrPartitionException] && watch.millis < timeoutMillis =>
            None
        }
      result match {
        case Some(value) => value
        case None        =>
          pause(KnownTopics.Pauses.pauseMillis(tries))
          attempt(tries + 1)
      }
    }
    attempt(tries = 1)
  }
}

private[kafka] object KnownTopics {
  val system: KnownTopics = new KnownTopics(timeoutMillis = 30000, Clock.system, Thread.sleep(_))

  private val Pauses = Backoff(firstMillis = 50, mostMillis = 1000)
}
