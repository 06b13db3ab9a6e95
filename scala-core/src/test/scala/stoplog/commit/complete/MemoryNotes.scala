// SPDX-License-Identifier: Apache-2.0
package stoplog.commit.complete

import scala.collection.concurrent.TrieMap

import stoplog.commit.Clock
import stoplog.storage.PutOutcome
import stoplog.storage.{Note, FileStore}

/** Small files in memory. */
class MemoryNotes(clock: Clock = Clock.system) extends FileStore {
  private val files = TrieMap.empty[String, (Vector[Byte], Long)]

  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = files
    .putIfAbsent(path, bytes.toVector -> clock.millis())
    .fold[PutOutcome](PutOutcome.Created)(_ => PutOutcome.Taken)

  override def read(path: String): Option[Array[Byte]] = files.get(path).map(_._1.toArray)

  override def list(directory: String, prefix: String): Vector[Note] =
    files.iterator
      .map { case (path, (_, millis)) => Note(path, millis) }
      .filter(note => FileStore.path(directory, note.name) == note.path && note.name.startsWith(prefix))
      .toVector

  override def delete(paths: Seq[String]): Unit = paths.foreach(files.remove(_))

  /** All that there is, as text. */
  def texts: Map[String, String] = files.view.mapValues(file => new String(file._1.toArray)).toMap
}

object MemoryNotes {

  /** Nothing is asked for, and there is nothing to be done. */
  def unasked: FollowUps = FollowUps.none("main", new MemoryNotes)
}
