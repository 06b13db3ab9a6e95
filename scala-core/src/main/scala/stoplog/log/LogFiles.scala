// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.fault.{Faults, Step}
import stoplog.storage.{Digits, Durability, FileStore, PutOutcome, SinkDirectory}

/** The files of one log, in `_stoplog/<sinkId>/log`. [[RecordNames]] names the records. The mark of a record
  * is an empty file `<20 digits>.published`. Notes of visible parts have the names `<20 digits>.visible`,
  * `.visible-1` and so on.
  *
  * The whole protocol depends on [[putIfAbsent]]. While a record exists, at most one caller on any machine
  * ever receives `Created` for its sequence number. Every later reader reads the complete record.
  */
private[stoplog] class LogFiles(files: FileStore, sinkId: String, faults: Faults = Faults.none)
    extends Serializable {
  import LogFiles._

  private val directory = SinkDirectory(sinkId).log
  private val names     = new RecordNames

  /** Returns the failures that a record survives. */
  def durability: Durability = files.capabilities.durability

  /** Creates the record, complete and durable, unless the record exists. An exception leaves the outcome
    * unknown. `Taken` may be returned although the same call wrote the bytes: [[CommitLog.append]] reads the
    * record back.
    */
  def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome =
    files.createIfAbsent(record(seq)) { out =>
      out.write(bytes)
      out.flush()
      faults.at(Step.RecordWritten)
    }

  /** Returns the record's bytes. `None` if the record is missing. */
  def read(seq: Long): Option[Array[Byte]] = files.read(record(seq))

  /** Makes a record found by a reader durable. Its writer may have died, or failed, before this step. */
  def makeDurable(seq: Long): Unit = files.force(directory)

  /** Returns the existing sequence numbers in ascending order. */
  def list(): Vector[Long] = names.listed(files.names(directory))

  /** Returns a record newer than `seq`, for a task that checks whether the task is fenced (I1). A check of
    * only the next place would miss a record trimmed while the task was paused.
    */
  def newerThan(seq: Long): Option[Long] = LookBack.overtaking(seq, list())

  /** Deletes these records in order, each with its mark and the notes seen by the last [[list]]. Some
    * storages delete all records at once. Missing files are not an error.
    */
  def delete(seqs: Seq[Long]): Unit =
    if (seqs.nonEmpty)
      files.delete(seqs.flatMap(seq => (mark(seq) +: names.notes(seq).map(at)) :+ record(seq)))

  /** Deletes the marks of these records. A newer record MUST exist, which proves their execution. */
  def unmark(seqs: Seq[Long]): Unit = if (seqs.nonEmpty) files.delete(seqs.map(mark))

  /** Marks the record as executed, so that no process repeats its execution. A power loss may remove the mark
    * until a later record or note is created in the directory. Returns `Taken` if the mark exists. `Taken`
    * may also be returned if the response to a first request was lost.
    */
  def markPublished(seq: Long): PutOutcome = files.mark(mark(seq))

  /** Returns whether any process has called [[markPublished]] for this record. */
  def isPublished(seq: Long): Boolean = files.exists(mark(seq))

  /** Creates a note, with this number, of visible part paths of this record, unless the note exists. Called
    * before [[markPublished]], only if publishing failed for some parts or is not the only step.
    * [[CommitLog]] numbers notes from 0 and writes each note once, so that no process overwrites the paths of
    * another.
    */
  final def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    putNote(seq, number, encoded(paths))

  /** Returns the paths in the note of this number: empty for invalid bytes, `None` for a missing note. */
  final def visible(seq: Long, number: Int): Option[Set[String]] =
    note(seq, number).map(decoded)

  /** Creates the first note of a replacement, unless the note exists: the first process decides. */
  final def noteReplacement(seq: Long, end: ReplacementNote): PutOutcome = putNote(seq, 0, encoded(end))

  /** Returns the first note of a replacement. A note of visible parts counts as
    * [[ReplacementNote.Publishing]].
    */
  final def notedReplacement(seq: Long): Option[ReplacementNote] = note(seq, 0).map(decodedReplacement)

  /** Creates a note, with this number, of parts that are lost and skipped, unless the note exists. */
  final def noteSkipped(seq: Long, number: Int, paths: Set[String]): PutOutcome =
    putNote(seq, number, encodedSkipped(paths))

  /** Returns the outcome of a record that was carried out, by its notes. */
  final def outcome(seq: Long): RecordOutcome = {
    val notes = Iterator.from(0).map(note(seq, _)).takeWhile(_.isDefined).flatten.toVector
    notes.headOption.map(decodedReplacement) match {
      case Some(_: ReplacementNote.CalledOff) => RecordOutcome.CalledOff
      case _                                  => RecordOutcome.skipping(notes.flatMap(decodedSkipped).toSet)
    }
  }

  /** Creates the record's note of this number, unless the note exists. */
  def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
    files.putIfAbsent(at(RecordNames.note(seq, number)), bytes)

  /** Returns the record's note of this number. */
  def note(seq: Long, number: Int): Option[Array[Byte]] = files.read(at(RecordNames.note(seq, number)))

  /** Returns the location of the record for messages. */
  def describe(seq: Long): String = files.describe(record(seq))

  private def record(seq: Long): String = at(RecordNames.name(seq))
  private def mark(seq: Long): String   = at(Digits.of(seq) + SinkDirectory.Mark)
  private def at(name: String): String  = s"$directory/$name"
}

private[stoplog] object LogFiles {
  private val mapper = new ObjectMapper()

  /** Encodes paths as a JSON list. */
  private def encoded(paths: Set[String]): Array[Byte] =
    mapper.writeValueAsBytes(paths.toVector.sorted.toArray)

  /** Returns no paths for invalid bytes. A note is created complete and durable, so invalid bytes mean
    * damage. Then its parts are published again, or reported as lost if readers removed them. An unreadable
    * log would be worse.
    */
  private def decoded(bytes: Array[Byte]): Set[String] =
    Try(mapper.readTree(bytes))
      .filter(_.isArray)
      .fold(_ => Set.empty, _.elements().asScala.map(_.asText()).toSet)

  /** Encodes `Publishing` as an empty list, and `CalledOff` as an object with the reason. */
  private def encoded(end: ReplacementNote): Array[Byte] = end match {
    case ReplacementNote.Publishing     => encoded(Set.empty[String])
    case ReplacementNote.CalledOff(why) => mapper.writeValueAsBytes(mapper.createObjectNode().put(Why, why))
  }

  private def decodedReplacement(bytes: Array[Byte]): ReplacementNote =
    Try(mapper.readTree(bytes)).filter(_.has(Why)).toOption match {
      case Some(node) => ReplacementNote.CalledOff(node.path(Why).asText(""))
      case None       => ReplacementNote.Publishing
    }

  private def encodedSkipped(paths: Set[String]): Array[Byte] = {
    val node = mapper.createObjectNode()
    paths.toVector.sorted.foreach(node.withArrayProperty(Skipped).add(_))
    mapper.writeValueAsBytes(node)
  }

  private def decodedSkipped(bytes: Array[Byte]): Vector[String] =
    Try(mapper.readTree(bytes)).toOption.toVector
      .flatMap(_.path(Skipped).elements().asScala.map(_.asText()))

  private final val Why     = "why"
  private final val Skipped = "skipped"
}

/** The end of a replacement, permanently recorded in the record's first note. */
private[stoplog] sealed trait ReplacementNote

private[stoplog] object ReplacementNote {

  /** All replaced files are hidden, and the record's parts are staged. From now on the parts are visible, or
    * readers have removed the parts.
    */
  case object Publishing extends ReplacementNote

  /** The record could not be executed. All hidden files are restored, and none of the record's parts is ever
    * visible.
    *
    * @param why a clause for messages
    */
  final case class CalledOff(why: String) extends ReplacementNote
}

/** The names of the files of one log, and the further notes seen by the last listing. */
private[log] final class RecordNames extends Serializable {
  import RecordNames._

  // The further notes of a record after its first note, which are rare.
  @volatile private var further = Map.empty[Long, Seq[String]]

  /** Returns the sequence numbers of records among these file names, in ascending order. */
  def listed(names: Iterable[String]): Vector[Long] = {
    further =
      names.collect { case name @ FurtherNote(digits) => digits.toLong -> name }.toSeq.groupMap(_._1)(_._2)
    names.collect { case Name(digits) => digits.toLong }.toVector.sorted
  }

  /** Returns the names of all notes of the record seen by a listing. */
  def notes(seq: Long): Seq[String] = RecordNames.note(seq, number = 0) +: further.getOrElse(seq, Seq.empty)
}

private[stoplog] object RecordNames {

  // No pattern for data files matches the suffix. It sorts before "published": a directory deleted in order
  // of names loses no mark before its record.
  private val Name        = "(\\d{20})\\.commit".r
  private val FurtherNote = "(\\d{20})\\.visible-\\d+".r

  /** Returns the name of a record: `<20 digits>.commit`. */
  def name(seq: Long): String = s"${Digits.of(seq)}.commit"

  /** Returns the name of a note of visible parts. */
  def note(seq: Long, number: Int): String =
    if (number == 0) s"${Digits.of(seq)}.visible" else s"${Digits.of(seq)}.visible-$number"
}
