// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Where the records of one log are kept. One of the two traits that a storage has to implement.
  *
  * The whole protocol rests on [[putIfAbsent]]: of any number of callers, on any machines, at most one is ever
  * told `Created` for a sequence number while the record is there, and whoever reads it afterwards reads all of it.
  */
trait RecordStore {

  /** Creates the record, whole and durable, unless there is one. An exception means that the outcome is unknown. */
  def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome

  /** The record's bytes; `None` when it is not there. */
  def read(seq: Long): Option[Array[Byte]]

  /** Makes a record durable that was found by reading: whoever wrote it may have died, or failed, before it was. Stores
    * whose records can be read no sooner have nothing to do.
    */
  def makeDurable(seq: Long): Unit = ()

  /** The sequence numbers that are there, in ascending order. */
  def list(): Vector[Long]

  /** A record newer than `seq`, for a task that asks whether it is too late (I1). A store on which a late task can
    * spoil nothing may overlook those that come after a gap.
    */
  def newerThan(seq: Long): Option[Long] = LookBack.overtaking(seq, list())

  /** Removes the record, its mark and the notes that the last [[list]] saw; removing what is not there is not an error. */
  def delete(seq: Long): Unit

  /** Marks that all that this record has decided is done, so that no process does it again. `Taken` says that it was marked
    * already; a store that cannot tell, since an answer was lost, says so as well.
    */
  def markPublished(seq: Long): PutOutcome

  /** Whether [[markPublished]] was called for this record, by anybody. */
  def isPublished(seq: Long): Boolean

  /** Notes paths of parts of this record that have been visible, as its note of this number, unless there is one. Called
    * before [[markPublished]], and only where there is more to do than to publish, or where some parts could not be
    * published. [[CommitLog]] counts the numbers from 0 and writes each once, so that of two processes none takes away what
    * the other one has noted.
    */
  def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome

  /** What the note of this number says: no path where it was broken off, and `None` where there is no such note. */
  def visible(seq: Long, number: Int): Option[Set[String]]

  /** Where the record is, for messages. */
  def describe(seq: Long): String
}

/** Whether a call has created what it was to create. */
sealed trait PutOutcome
object PutOutcome {
  case object Created extends PutOutcome
  case object Taken   extends PutOutcome
}
