// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

/** Gives each epoch a time that its rows are written with. On the driver; used by several threads.
  *
  * The time is the same each time a chunk is sent, by whichever process, and later than those of all earlier epochs of the
  * query, so what is sent again never replaces what is newer.
  */
trait EpochTimes extends AutoCloseable {

  /** In microseconds since 1970, durable on return; `None` if rows have no time of their epoch. */
  def of(chunk: Chunk): Option[Long]

  override def close(): Unit = ()
}

object EpochTimes {

  val none: EpochTimes = new EpochTimes {
    override def of(chunk: Chunk): Option[Long] = None
  }
}
