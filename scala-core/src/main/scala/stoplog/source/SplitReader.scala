// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Reads the records of splits, one after the other. In a task; [[wakeUp]] alone may come from another thread.
  *
  * [[fetch]] is re-entrant: if it was left early, by [[wakeUp]] or by an exception, the next call goes on behind the last
  * record that was handed out. No record comes twice, and none is left out.
  */
trait SplitReader[S <: Split, R] extends AutoCloseable {

  /** Splits to be read behind those that are there already. */
  def add(splits: Seq[S]): Unit

  /** The next records. Waits for the storage, and returns early when it is woken.
    *
    * The records that it returned before are no longer valid: readers may use their buffers again.
    */
  def fetch(): Fetched[S, R]

  /** Makes a [[fetch]] that waits, or else the next one, return soon. */
  def wakeUp(): Unit
}

/** The result of [[SplitReader.fetch]]. */
sealed trait Fetched[+S, +R]
object Fetched {

  /** Records of one split: one at a time, and each only until the next. */
  trait Records[+S, +R] extends Fetched[S, R] {

    /** Goes to the next record; false when there is no further one here. */
    def advance(): Boolean

    /** The record that [[advance]] went to. */
    def record: R

    /** The rest of the split behind this record, as a split of its own; none if it was its last, and always none for
      * a source whose splits can only be read from their beginnings.
      */
    def rest: Option[S]
  }

  /** Woken, or nothing is ready: call again. */
  case object Nothing extends Fetched[scala.Nothing, scala.Nothing]

  /** All splits that were added have been read. */
  case object Finished extends Fetched[scala.Nothing, scala.Nothing]
}
