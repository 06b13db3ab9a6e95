// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import scala.collection.mutable

import stoplog.kafka.client.OpenTransaction
import stoplog.thread.{Clock, StopSignal}

/** Ends the commits of a stopped query whose brokers do not respond.
  *
  * After the stop, each commit has a second of its own. So a commit that hangs ends no other commit: brokers
  * that respond commit all transactions of the record (P-62), and a transaction that stays open until its
  * timeout is lost. If no commit ends for five seconds, all commits end.
  *
  * Thread-safe.
  *
  * @param stop reports the stop of the query
  */
private[transaction] final class CommitGrace(stop: StopSignal, clock: Clock) {
  private val tried  = mutable.Set.empty[OpenTransaction]
  private var silent = Option.empty[Long] // since the stop, or since the last ended commit

  /** Returns the signal of one commit. The end of the query repeats the commits of the record that have not
    * ended. At the first repetition, the five seconds start again.
    */
  def begin(transaction: OpenTransaction): StopSignal = synchronized {
    if (!tried.add(transaction)) {
      tried.clear()
      tried += transaction
      silent = None
    }
    new OfCommit
  }

  /** Called after a commit with a known outcome: the brokers respond. */
  def ended(transaction: OpenTransaction): Unit = synchronized {
    tried -= transaction
    silent = None
  }

  private def isSilent(nowMillis: Long): Boolean = synchronized {
    if (silent.isEmpty) silent = Some(nowMillis)
    silent.exists(nowMillis - _ >= CommitGrace.SilentMillis)
  }

  /** Used by the thread of the commit, and by the thread that waits for the commit. */
  private final class OfCommit extends StopSignal {
    private var since = Option.empty[Long]

    override def isStopped: Boolean = stop.isStopped && synchronized {
      val now = clock.elapsedMillis()
      if (since.isEmpty) since = Some(now)
      since.exists(now - _ >= CommitGrace.CommitMillis) || isSilent(now)
    }
  }
}

private[transaction] object CommitGrace {

  // A commit takes some milliseconds if the brokers are well, and longer on a new connection.
  private final val CommitMillis = 1000L

  private final val SilentMillis = 5000L
}
