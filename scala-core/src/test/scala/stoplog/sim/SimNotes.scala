// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.storage.PutOutcome
import java.io.{ByteArrayOutputStream, OutputStream}

import stoplog.commit.Replacements
import stoplog.laws.UnusedFiles
import stoplog.storage.{FileInfo, FileStore, MarkerNames, SinkDirectory}

/** Small files for readers on the simulated disk, each made in one step. */
final class SimNotes(world: World) extends UnusedFiles {
  import world.{disk, op}

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
    val out = new ByteArrayOutputStream()
    content(out)
    val bytes  = out.toByteArray
    val isMade = world.once(s"put note $path")(!disk.notes.contains(path)) {
      if (!SimNotes.isForTools(path)) world.announced.noted(path, bytes)
      disk.notes.update(path, bytes)
    }
    if (!isMade) world.note(s"note $path is there already")
    if (MarkerNames.version(FileStore.nameOf(path)).isDefined) world.outside.marked()
    if (isMade) PutOutcome.Created else PutOutcome.Taken
  }

  override def exists(path: String): Boolean = op(s"look for note $path")(disk.notes.contains(path))

  /** The names of the directories of logs. No sink here has targets of announcements, and no query here looks
    * for replacements before its markers.
    */
  override def names(directory: String): Vector[String] = if (SimNotes.isEmpty(directory)) Vector.empty
  else {
    require(directory == SinkDirectory.Root, directory)
    op("list the logs") {
      val noted = disk.notes.keysIterator.filter(SimJobs.isNote).map(_.split('/')(1))
      world.listed(disk.logs.keysIterator ++ noted).toVector.distinct
    }
  }

  /** Not of records, whose times no tool here asks for: each fences whoever is alive. */
  override def stat(path: String): Option[FileInfo] = op(s"look at note $path") {
    disk.notes.get(path).map(bytes => FileInfo(path, FileInfo.File(bytes.length.toLong), Some(0)))
  }

  override def read(path: String): Option[Array[Byte]] = op(s"read note $path")(disk.notes.get(path))

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    op(s"list notes of $directory") {
      world
        .listed(disk.notes.iterator)
        .map { case (path, bytes) => FileInfo(path, FileInfo.File(bytes.length.toLong), Some(0)) }
        .filter(file => FileStore.path(directory, file.name) == file.path && file.name.startsWith(prefix))
        .toVector
    }.foreach(each)

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => op(s"delete note $path")(disk.notes.remove(path)))
}

private object SimNotes {

  def isEmpty(directory: String): Boolean =
    directory.endsWith("/announced") || directory == SinkDirectory(Replacements.SinkId).log

  /** Not for readers: a sign of life, a record of a log that has begun anew, or what a job says to others. */
  def isForTools(path: String): Boolean =
    path.contains("/alive/") || path.contains("/aside/") || SimJobs.isNote(path)
}
