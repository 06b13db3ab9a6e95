// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import stoplog.cassandra.write.EpochClock
import stoplog.wal.{Chunk, EpochTimes}

/** The times of epochs, from the ledger that a sink of its own has too.
  *
  * @param clockOf   of a query
  * @param nowMicros for a batch query, which nobody repeats: all its rows have the time of its first
  */
private[wal] final class ChunkTimes(clockOf: String => EpochClock, nowMicros: () => Long) extends EpochTimes {
  private var queries = Map.empty[String, ChunkTimes.Query]

  /** Error: `STOPLOG_CASSANDRA_EPOCH_BEHIND`, of a process that was given up. */
  override def of(chunk: Chunk): Option[Long] = synchronized {
    val query = chunk.epoch match {
      case None        => queries.getOrElse(chunk.query, ChunkTimes.Job(nowMicros()))
      case Some(epoch) => begun(chunk.query, epoch, chunk.rows)
    }
    queries += chunk.query -> query
    Some(query.micros)
  }

  private def begun(name: String, epoch: Long, rows: Long): ChunkTimes.Stream = {
    val query = queries.get(name) match {
      case Some(known: ChunkTimes.Stream) if known.epoch == epoch => known
      case Some(known: ChunkTimes.Stream) => known.copy(epoch = epoch, micros = known.clock.begin(epoch))
      case _                              =>
        val clock  = clockOf(name)
        val micros = clock.begin(epoch)
        // Chunks that an earlier run has sent are not seen here.
        clock.used(micros + EpochClock.MarginMicros)
        ChunkTimes.Stream(epoch, micros, clock)
    }
    // Each row of a key has a microsecond more than the one before.
    query.clock.used(query.micros + rows)
    query
  }
}

private object ChunkTimes {
  sealed trait Query {
    def micros: Long
  }
  final case class Stream(epoch: Long, micros: Long, clock: EpochClock) extends Query
  final case class Job(micros: Long)                                    extends Query
}
