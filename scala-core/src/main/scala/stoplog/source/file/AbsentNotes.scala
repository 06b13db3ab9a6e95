// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{BufferedInputStream, DataInputStream, DataOutputStream, FileNotFoundException}

import scala.util.Using

import stoplog.source.StateFiles
import stoplog.thread.Clock

/** Records the absent files in the checkpoint. A run may have only one listing, and the next run continues
  * from the record.
  *
  * A lost note costs time: absent files are remembered for longer. So a note is written by the first listing
  * of a run, and then at intervals. A note with a file that was found again is deleted immediately.
  */
private[file] final class AbsentNotes(state: StateFiles, absence: Absence, clock: Clock) {
  private var names: Vector[String]   = Vector.empty
  private var writtenAt: Option[Long] = None
  private var isWrong                 = false

  /** Called when a listing has found an absent file: the note is no longer correct. */
  def shrunk(): Unit = isWrong = true

  /** Called after each listing of all directories.
    *
    * @param end the number of splits up to the newest record of splits
    */
  def write(end: Long): Unit = {
    val isDue = writtenAt.forall(clock.elapsedMillis() - _ >= AbsentNotes.EveryMillis)
    if (names.nonEmpty && (isWrong || absence.size == 0 || isDue)) {
      names.foreach(state.delete) // first: a note only describes the last listing
      names = Vector.empty
    }
    isWrong = false
    if (isDue && absence.size > 0) put(SeenFiles.name(end, AbsentNotes.Suffix))
  }

  /** Continues from the note of a previous run. Ignores two notes, which may be from concurrent drivers. */
  def restore(found: Vector[String]): Unit = {
    names = found
    if (found.sizeIs == 1)
      try
        Using.resource(new DataInputStream(new BufferedInputStream(state.open(found.head)))) { in =>
          SeenFiles.refuseNewer(state, found.head, in.readInt())
          val millis = in.readLong()
          val away   = clock.millis() - in.readLong()
          absence.restore(PathHash.readAll(in).iterator, millis, away)
        }
      catch { case _: FileNotFoundException => () } // another driver has listed since
  }

  private def put(name: String): Unit = {
    names = Vector(name)
    state.putIfAbsent(name) { to =>
      val out = new DataOutputStream(to)
      out.writeInt(SeenFiles.Version)
      out.writeLong(absence.millis)
      out.writeLong(clock.millis())
      PathHash.writeAll(absence.hashes.toVector, out)
      out.flush()
    }
    writtenAt = Some(clock.elapsedMillis())
  }
}

private[file] object AbsentNotes {
  private final val Suffix = ".absent"

  /** The time between two notes of one run. */
  private final val EveryMillis = 10 * 60 * 1000L

  def isOne(name: String): Boolean = name.endsWith(Suffix)
}
