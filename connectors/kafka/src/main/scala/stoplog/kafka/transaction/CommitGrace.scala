// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import scala.collection.mutable

import stoplog.kafka.client.OpenTransaction
import stoplog.thread.{Clock, StopSignal}

/** Ends the commits of a stopped query if the brokers have ended no commit for half a second.
  *
  * A stop must not wait for brokers that do not respond. But brokers that respond commit all transactions of
  * the record (P-62): a transaction that stays open until its timeout is lost.
  *
  * Thread-safe.
  *
  * @param stop reports the stop of the query
  */
private[transaction] final class CommitGrace(stop: StopSignal, clock: Clock) extends StopSignal {
  private var since     = Option.empty[Long]
  private val abandoned = mutable.Set.empty[OpenTransaction]

  override def isStopped: Boolean = synchronized {
    if (since.isEmpty && stop.isStopped) since = Some(clock.elapsedMillis())
    since.exists(clock.elapsedMillis() - _ >= CommitGrace.Millis)
  }

  /** Called before each commit. The end of the query repeats all commits of the record. So the first
    * repetition of an abandoned commit starts the grace anew.
    */
  def begin(transaction: OpenTransaction): Unit = synchronized {
    if (abandoned(transaction)) {
      abandoned.clear()
      since = None
    }
  }

  /** Called after a commit with a known outcome: the brokers respond, so the grace starts anew. */
  def ended(): Unit = synchronized {
    since = None
  }

  /** Called after a commit that the end of the grace has interrupted. */
  def abandon(transaction: OpenTransaction): Unit = synchronized {
    abandoned += transaction
    ()
  }
}

private[transaction] object CommitGrace {

  // A commit takes some milliseconds if the brokers are well.
  private final val Millis = 500L
}
