// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.fault.{Faults, Step}
import stoplog.storage.{FileStore, PutOutcome, SinkDirectory}

/** The files of one log, in `_stoplog/<sinkId>/log`. [[RecordNames]] names the records; the mark of a record is an empty
  * file `<20 digits>.published`, its notes of what is visible `<20 digits>.visible`,
  * `.visible-1` and so on.
  *
  * The whole protocol rests on [[putIfAbsent]]: of any number of callers, on any machines, at most one is ever told
  * `Created` for a sequence number while the record is there, and each reader afterwards reads all of it.
  */
class LogFiles(files: FileStore, sinkId: String, faults: Faults = Faults.none) extends Serializable {
  private val directory = SinkDirectory(sinkId).log
  private val names     = new RecordNames

  /** Creates the record, whole and durable, unless there is one. An exception leaves the outcome unknown, and `Taken` may
    * be said of the very same bytes: [[CommitLog.append]] reads them back.
    */
  def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
    val name = names.toCreate(seq)(name => files.exists(at(name)))
    files.createIfAbsent(at(name)) { out =>
      out.write(bytes)
      out.flush()
      faults.at(Step.RecordWritten)
    }
  }

  /** The record's bytes; `None` when it is not there. */
  def read(seq: Long): Option[Array[Byte]] = records(seq).iterator.flatMap(files.read(_)).nextOption()

  /** Makes a record durable that was found by reading: its writer may have died, or failed, before it was. */
  def makeDurable(seq: Long): Unit = files.force(directory)

  /** The sequence numbers that are there, in ascending order. */
  def list(): Vector[Long] = names.listed(files.names(directory))

  /** A record newer than `seq`, for a task that asks whether it is too late (I1).
    *
    * Where a late task can spoil nothing, since what it stages has names of its own, one look at the next place is enough: a
    * task that slept until that record was trimmed is overlooked, and so is one in a log with the names of an earlier version.
    */
  def newerThan(seq: Long): Option[Long] =
    if (files.capabilities.lookAhead) Option.when(files.exists(records(seq + 1).head))(seq + 1)
    else LookBack.overtaking(seq, list())

  /** Deletes the record, its mark and the notes that the last [[list]] saw. Deleting what is not there is no error. */
  def delete(seq: Long): Unit = files.delete(mark(seq) +: (names.notes(seq).map(at) ++ records(seq)))

  /** Marks that all that this record has decided is done, so that no process does it again. `Taken` says that it was marked
    * already, and may be said when the answer to a first request was lost.
    */
  def markPublished(seq: Long): PutOutcome = files.mark(mark(seq))

  /** Whether any process has called [[markPublished]] for this record. */
  def isPublished(seq: Long): Boolean = files.exists(mark(seq))

  /** Notes paths of parts of this record that have been visible, as its note of this number, unless there is one. Called
    * before [[markPublished]], and only where there is more to do than to publish, or where some parts could not be
    * published. [[CommitLog]] counts the numbers from 0 and writes each once, so that of two processes none takes away what
    * the other one has noted.
    */
  final def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    putNote(seq, number, VisibleNote.encode(paths))

  /** The paths in the note of this number: none where it was broken off, and `None` where there is no such note. */
  final def visible(seq: Long, number: Int): Option[Set[String]] =
    note(seq, number).map(VisibleNote.decode)

  /** Notes how a merge ends, as the first note of its record, unless there is one: of all processes the first one decides. */
  final def noteMerge(seq: Long, end: MergeNote): PutOutcome = putNote(seq, 0, VisibleNote.encode(end))

  /** How a merge ends; a note of what is visible says that it was begun. */
  final def notedMerge(seq: Long): Option[MergeNote] = note(seq, 0).map(VisibleNote.decodeMerge)

  /** Creates the record's note of this number, unless there is one. */
  def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
    files.putIfAbsent(at(RecordNames.note(seq, number)), bytes)

  /** The record's note of this number. */
  def note(seq: Long, number: Int): Option[Array[Byte]] = files.read(at(RecordNames.note(seq, number)))

  /** The location of the record, for messages. */
  def describe(seq: Long): String = files.describe(records(seq).head)

  private def records(seq: Long): Seq[String] = names.of(seq).map(at)
  private def mark(seq: Long): String         = at(f"$seq%020d.published")
  private def at(name: String): String        = s"$directory/$name"
}
