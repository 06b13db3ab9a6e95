// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Reads the records of splits, one after the other. Runs in a task; only [[wakeUp]] may be called from
  * another thread.
  *
  * [[fetch]] is re-entrant: after an early return by [[wakeUp]] or an exception, the next call continues
  * after the last returned record. The reader MUST return each record exactly once.
  */
trait SplitReader[S <: Split, R] extends AutoCloseable {

  /** Adds splits after the present splits. */
  def add(splits: Seq[S]): Unit

  /** Returns the next records. Waits for the storage, and returns early after [[wakeUp]].
    *
    * The records of the previous call are no longer valid: readers may reuse their buffers.
    */
  def fetch(): Fetched[S, R]

  /** Makes a waiting [[fetch]], or otherwise the next call, return soon. */
  def wakeUp(): Unit
}

/** The result of [[SplitReader.fetch]]. */
sealed trait Fetched[+S, +R]
object Fetched {

  /** Records of one split. Only one record at a time is valid, until the next call of [[advance]]. */
  trait Records[+S, +R] extends Fetched[S, R] {

    /** Moves to the next record; false if this result has no further record. */
    def advance(): Boolean

    /** The record to which [[advance]] has moved. */
    def record: R

    /** Returns the remainder of the split after this record, as a separate split; `None` after the last
      * record. Always `None` if the source can read splits only from their start.
      */
    def rest: Option[S]
  }

  /** The reader was woken, or no record is ready: call [[SplitReader.fetch]] again. */
  case object Nothing extends Fetched[scala.Nothing, scala.Nothing]

  /** All added splits have been read. */
  case object Finished extends Fetched[scala.Nothing, scala.Nothing]
}
