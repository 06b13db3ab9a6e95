// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.fault.{Faults, Step}
import stoplog.storage.{Durability, FileStore, PutOutcome, SinkDirectory}

/** The files of one log, in `_stoplog/<sinkId>/log`. [[RecordNames]] names the records; the mark of a record is an empty
  * file `<20 digits>.published`, its notes of what is visible `<20 digits>.visible`,
  * `.visible-1` and so on.
  *
  * The whole protocol rests on [[putIfAbsent]]: of any number of callers, on any machines, at most one is ever told
  * `Created` for a sequence number while the record is there, and each reader afterwards reads all of it.
  */
private[stoplog] class LogFiles(files: FileStore, sinkId: String, faults: Faults = Faults.none)
    extends Serializable {
  import LogFiles._

  private val directory = SinkDirectory(sinkId).log
  private val names     = new RecordNames

  /** The failures that a record survives. */
  def durability: Durability = files.capabilities.durability

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

  /** A record newer than `seq`, for a task that asks whether it is too late (I1). A look at the next place alone would
    * overlook a task that slept until that record was trimmed.
    */
  def newerThan(seq: Long): Option[Long] = LookBack.overtaking(seq, list())

  /** Deletes these records one after the other, each with its mark and the notes that the last [[list]] saw, or all at once
    * where the storage can. Deleting what is not there is no error.
    */
  def delete(seqs: Seq[Long]): Unit =
    if (seqs.nonEmpty)
      files.delete(seqs.flatMap(seq => mark(seq) +: (names.notes(seq).map(at) ++ records(seq))))

  /** Deletes the marks of these records. They are to be no newest ones: a newer record says that they were carried out. */
  def unmark(seqs: Seq[Long]): Unit = if (seqs.nonEmpty) files.delete(seqs.map(mark))

  /** Marks that all that this record has decided is done, so that no process does it again. A power loss may take the mark
    * as long as no later record or note was created in the directory. `Taken` says that it was marked
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
    putNote(seq, number, encoded(paths))

  /** The paths in the note of this number: none where its bytes are no list of paths, and `None` where there is no such note. */
  final def visible(seq: Long, number: Int): Option[Set[String]] =
    note(seq, number).map(decoded)

  /** Creates the first note of a record that replaces files, unless the note exists: the first process decides. */
  final def noteReplacement(seq: Long, end: ReplacementNote): PutOutcome = putNote(seq, 0, encoded(end))

  /** The first note of a record that replaces files. A note of visible parts counts as [[ReplacementNote.Begun]]. */
  final def notedReplacement(seq: Long): Option[ReplacementNote] = note(seq, 0).map(decodedReplacement)

  /** Creates the record's note of this number, unless there is one. */
  def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
    files.putIfAbsent(at(RecordNames.note(seq, number)), bytes)

  /** The record's note of this number. */
  def note(seq: Long, number: Int): Option[Array[Byte]] = files.read(at(RecordNames.note(seq, number)))

  /** The location of the record, for messages. */
  def describe(seq: Long): String = files.describe(records(seq).head)

  private def records(seq: Long): Seq[String] = names.of(seq).map(at)
  private def mark(seq: Long): String         = at(f"$seq%020d" + SinkDirectory.Mark)
  private def at(name: String): String        = s"$directory/$name"
}

private[stoplog] object LogFiles {
  private val mapper = new ObjectMapper()

  /** A note of paths: a JSON list. */
  private def encoded(paths: Set[String]): Array[Byte] =
    mapper.writeValueAsBytes(paths.toVector.sorted.toArray)

  /** Nothing for bytes that are no such list. A note is created whole and durable, so they were damaged: its parts are
    * published again, and refused as lost if a reader has taken them, which is better than an unreadable log.
    */
  private def decoded(bytes: Array[Byte]): Set[String] =
    Try(mapper.readTree(bytes))
      .filter(_.isArray)
      .fold(_ => Set.empty, _.elements().asScala.map(_.asText()).toSet)

  /** `Begun` is a list without paths, `CalledOff` an object with the reason. */
  private def encoded(end: ReplacementNote): Array[Byte] = end match {
    case ReplacementNote.Begun          => encoded(Set.empty[String])
    case ReplacementNote.CalledOff(why) => mapper.writeValueAsBytes(mapper.createObjectNode().put(Why, why))
  }

  private def decodedReplacement(bytes: Array[Byte]): ReplacementNote =
    Try(mapper.readTree(bytes)).filter(_.isObject).toOption.fold[ReplacementNote](ReplacementNote.Begun) {
      node =>
        ReplacementNote.CalledOff(node.path(Why).asText(""))
    }

  private final val Why = "why"
}

/** The end of a record that replaces files. The record's first note states the end for good. */
private[stoplog] sealed trait ReplacementNote

private[stoplog] object ReplacementNote {

  /** All replaced files are hidden, and the record's parts are staged: from now on the parts are visible, or readers have
    * taken them.
    */
  case object Begun extends ReplacementNote

  /** The record could not be carried out: all hidden files come back, and none of the record's parts is ever shown.
    *
    * @param why a clause for messages
    */
  final case class CalledOff(why: String) extends ReplacementNote
}

/** The names of the records of one log: `<20 digits>.commit`, which no pattern for files of data finds.
  *
  * Earlier versions called them `<20 digits>.json`. A log that began so goes on so: the name of a place follows from
  * the record before it, so that of all drivers, also those of an earlier version, exactly one creates the record of a
  * number (I3).
  */
private[log] final class RecordNames extends Serializable {
  import RecordNames._

  // What the last listing saw; none of an empty log, and of one with both kinds of names.
  @volatile private var only: Option[Kind] = None

  // The notes behind the first one of a record, which few have.
  @volatile private var further = Map.empty[Long, Seq[String]]

  /** The numbers of the records among these names of files, in ascending order. */
  def listed(names: Iterable[String]): Vector[Long] = {
    val found = names.collect { case Name(digits, kind) => (digits.toLong, kind) }.toVector
    only = found.map { case (_, kind) => kind }.distinct match {
      case Vector(one) => Some(one)
      case _           => None
    }
    further =
      names.collect { case name @ FurtherNote(digits) => digits.toLong -> name }.toSeq.groupMap(_._1)(_._2)
    found.map { case (seq, _) => seq }.distinct.sorted
  }

  /** The names under which the record may be found: one, as soon as a listing has told which. */
  def of(seq: Long): Seq[String] = only.fold(Seq(Now, Former))(Seq(_)).map(name(seq, _))

  /** The names of all notes of the record, as far as a listing has seen them. */
  def notes(seq: Long): Seq[String] = RecordNames.note(seq, number = 0) +: further.getOrElse(seq, Seq.empty)

  /** The one name under which the record is created. */
  def toCreate(seq: Long)(isThere: String => Boolean): String = {
    def there(seq: Long, kind: Kind): Boolean = isThere(name(seq, kind))
    def isFormer: Boolean                     =
      there(seq, Former) || seq > 0 && there(seq - 1, Former) && !there(seq, Now)
    name(seq, only.getOrElse(if (isFormer) Former else Now))
  }
}

private[stoplog] object RecordNames {
  private type Kind = String

  // Before "published" in the alphabet: a directory that is removed by name loses no mark before its record.
  private final val Now    = "commit"
  private final val Former = "json"
  private val Name         = s"(\\d{20})\\.($Now|$Former)".r
  private val FurtherNote  = "(\\d{20})\\.visible-\\d+".r

  /** The name of a record in a log that begins now. */
  def name(seq: Long): String = name(seq, Now)

  /** The name of a note of visible parts. Earlier versions wrote the first one alone. */
  def note(seq: Long, number: Int): String =
    if (number == 0) f"$seq%020d.visible" else f"$seq%020d.visible-$number"

  private def name(seq: Long, kind: Kind): String = f"$seq%020d.$kind"
}
