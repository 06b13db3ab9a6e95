// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.PutOutcome
import stoplog.store.{Note, NoteStore}

/** Small files for readers on the simulated disk, each made in one step. */
final class SimNotes(world: World) extends NoteStore {
  import world.{disk, op}

  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = op(s"put note $path") {
    if (disk.notes.contains(path)) {
      world.note(s"note $path is there already")
      PutOutcome.Taken
    } else {
      world.announced.noted(path, bytes)
      disk.notes.update(path, bytes)
      PutOutcome.Created
    }
  }

  override def read(path: String): Option[Array[Byte]] = op(s"read note $path")(disk.notes.get(path))

  override def list(directory: String, prefix: String): Vector[Note] = op(s"list notes of $directory") {
    disk.notes.keysIterator
      .map(Note(_, 0))
      .filter(note => NoteStore.path(directory, note.name) == note.path && note.name.startsWith(prefix))
      .toVector
  }

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => op(s"delete note $path")(disk.notes.remove(path)))
}
