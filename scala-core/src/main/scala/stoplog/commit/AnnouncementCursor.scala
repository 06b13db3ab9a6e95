// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.fault.{Faults, Step}
import stoplog.storage.{Digits, FileStore, SinkDirectory}

/** The cursor of one target in one log: the first record that is not announced yet. Each position is a file,
  * whose name is the number of the record. Files are created once, and the highest number counts. So a slow
  * process cannot move the cursor back.
  *
  * A cursor lost with the power repeats announcements, and omits none.
  */
private[stoplog] final class AnnouncementCursor(
    files: FileStore,
    logName: String,
    target: String,
    faults: Faults = Faults.none
) {
  import AnnouncementCursor._

  private val directory = s"${SinkDirectory(logName).announced}/$target"

  /** Returns the cursor with the highest number. */
  def read(): Option[Position] = read(left = MostLooks)

  /** Other processes create a higher position, and then delete the lower positions, possibly between the
    * listing and the reading. Therefore both steps are repeated if all listed positions are deleted.
    */
  @tailrec
  private def read(left: Int): Option[Position] = {
    val positions = files.names(directory).collect { case Numbered(digits) => digits.toLong }.sorted
    val found     = positions.reverseIterator.flatMap(positionAt).nextOption()
    if (found.nonEmpty || positions.isEmpty) found
    else if (left > 1) read(left - 1)
    else throw new IllegalStateException(s"${files.describe(directory)} lists positions without files")
  }

  /** Makes a target known before its first position, which follows its snapshot. A replacing job keeps its
    * records for all known targets.
    */
  def announceSnapshot(): Unit = files.putIfAbsent(s"$directory/$SnapshotName", Array.emptyByteArray): Unit

  /** Returns whether a target without a position waits for its snapshot. */
  def awaitsSnapshot: Boolean = files.names(directory).contains(SnapshotName)

  /** Returns whether no log of the path has a position of the target. */
  def isOfNewTarget: Boolean = OtherTargets.isNew(files, target)

  /** Creates the file of this position, and then deletes the files of lower positions, and of failures. */
  def write(position: Position): Unit = {
    create(position)
    faults.at(Step.CursorWritten)
    val old = files.names(directory).filter {
      case Numbered(digits) => digits.toLong < position.next
      case Failed(digits)   => digits.toLong < position.next
      case SnapshotName     => true
      case _                => false
    }
    if (old.nonEmpty) files.delete(old.map(name => s"$directory/$name"))
  }

  /** Creates the file of this position, and then deletes all other files, which belong to another log, or to
    * records that the log has lost. A failure in between repeats announcements.
    */
  def restart(position: Position): Unit = {
    create(position)
    val others = files.names(directory).filterNot(_ == name(position.next))
    if (others.nonEmpty) files.delete(others.map(name => s"$directory/$name"))
  }

  /** Notes that the log ends before the position of the target, for later runs (P-135).
    *
    * @param sequence the record of the position
    * @param end      the newest record of the log; -1 without a record
    */
  def noteEnd(sequence: Long, end: Long): Unit = {
    val node = mapper.createObjectNode().put(Newest, end)
    files.putIfAbsent(ahead(sequence), mapper.writeValueAsBytes(node)): Unit
  }

  /** Returns the noted end of the log; `None` without a note about a position at this record. */
  def notedEnd(sequence: Long): Option[Long] = files.read(ahead(sequence)).map { bytes =>
    Try(mapper.readTree(bytes).path(Newest).asLong(NoRecord)).getOrElse(NoRecord)
  }

  /** Returns whether a note of [[noteEnd]] exists. Then the user has removed the position of the target, as
    * the error told the user, and the target starts again.
    */
  def hasNotedEnd: Boolean = endNotes.nonEmpty

  /** Deletes the notes of [[noteEnd]]: the target has another position, and may reach such a record again. */
  def forgetEnds(): Unit = {
    val notes = endNotes
    if (notes.nonEmpty) files.delete(notes.map(name => s"$directory/$name"))
  }

  private def endNotes: Vector[String] = files.names(directory).filter(_.endsWith(AheadSuffix))

  /** Notes the first failure after this position, for other processes. */
  def fail(next: Long, failure: Failure): Unit = {
    val node = mapper.createObjectNode().put(Reason, failure.reason).put(At, failure.atMillis)
    files.putIfAbsent(s"$directory/${name(next)}$FailureSuffix", mapper.writeValueAsBytes(node)): Unit
  }

  /** Returns the failure since the cursor has this position. */
  def failure(position: Option[Position]): Option[Failure] = {
    val after = position.fold(0L)(_.next)
    files
      .names(directory)
      .collect { case name @ Failed(digits) if digits.toLong >= after => name }
      .maxOption
      .flatMap(name => files.read(s"$directory/$name"))
      .flatMap(bytes => Try(mapper.readTree(bytes)).toOption)
      .map(node => Failure(node.path(Reason).asText(), node.path(At).asLong()))
  }

  private def create(position: Position): Unit = {
    val node = mapper.createObjectNode().put(Identity, position.identity).put(Last, position.last)
    files.putIfAbsent(at(position.next), mapper.writeValueAsBytes(node)): Unit
  }

  private def positionAt(next: Long): Option[Position] = files.read(at(next)).map { bytes =>
    val node = Try(mapper.readTree(bytes)).getOrElse(mapper.createObjectNode())
    Position(next, node.path(Identity).asText(), node.path(Last).asLong(NoRecord))
  }

  private def at(next: Long): String = s"$directory/${name(next)}"

  private def ahead(sequence: Long): String = s"${at(sequence)}$AheadSuffix"
}

private[stoplog] object AnnouncementCursor {

  /** @param next     the first record that is not announced
    * @param identity of the log; empty before the first record of the log
    * @param last     the last record with announcements; -1 without such a record
    */
  final case class Position(next: Long, identity: String, last: Long = NoRecord) {

    /** Returns whether the position is a position in the log of this identity. */
    def isIn(log: String): Boolean = next == 0 || identity == log
  }

  /** @param reason a clause for messages
    */
  final case class Failure(reason: String, atMillis: Long)

  /** Returns the names of all known targets: with a cursor, or with a snapshot to be delivered. */
  def targets(files: FileStore, logName: String): Vector[String] =
    files.names(SinkDirectory(logName).announced).sorted

  private def name(next: Long): String = Digits.of(next)

  private val mapper = new ObjectMapper()

  private val Numbered = "(\\d{20})".r
  private val Failed   = "(\\d{20})\\.failed".r

  private final val MostLooks     = 100
  private final val SnapshotName  = "snapshot"
  private final val FailureSuffix = ".failed"
  private final val AheadSuffix   = ".ahead"
  private final val NoRecord      = -1L
  private final val Identity      = "identity"
  private final val Last          = "last"
  private final val Newest        = "newest"
  private final val Reason        = "reason"
  private final val At            = "at"
}
