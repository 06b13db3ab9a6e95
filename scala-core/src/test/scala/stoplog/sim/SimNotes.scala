// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.PutOutcome
import stoplog.store.{Note, NoteStore}

/** Small files for readers on the simulated disk, each made in one step. */
final class SimNotes(world: World) extends NoteStore {
  import world.{disk, op}

  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = {
    val isMade = world.once(s"put note $path")(!disk.notes.contains(path)) {
      if (!SimNotes.isForTools(path)) world.announced.noted(path, bytes)
      disk.notes.update(path, bytes)
    }
    if (!isMade) world.note(s"note $path is there already")
    if (isMade) PutOutcome.Created else PutOutcome.Taken
  }

  override def read(path: String): Option[Array[Byte]] = op(s"read note $path")(disk.notes.get(path))

  override def list(directory: String, prefix: String): Vector[Note] = op(s"list notes of $directory") {
    world
      .listed(disk.notes.keysIterator)
      .map(Note(_, 0))
      .filter(note => NoteStore.path(directory, note.name) == note.path && note.name.startsWith(prefix))
      .toVector
  }

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => op(s"delete note $path")(disk.notes.remove(path)))
}

private object SimNotes {

  /** Not for readers: a sign of life, or a record of a log that has begun anew. */
  def isForTools(path: String): Boolean = path.contains("/alive/") || path.contains("/aside/")
}
