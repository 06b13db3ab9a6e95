// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayOutputStream, OutputStream}

import scala.collection.concurrent.TrieMap

import stoplog.storage.PutOutcome
import stoplog.laws.UnusedFiles
import stoplog.storage.{FileInfo, FileStore}
import stoplog.thread.Clock

/** Small files in memory. */
class MemoryNotes(clock: Clock = Clock.system) extends UnusedFiles {
  private val files = TrieMap.empty[String, (Vector[Byte], Long)]

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
    val bytes = new ByteArrayOutputStream()
    content(bytes)
    files
      .putIfAbsent(path, bytes.toByteArray.toVector -> clock.millis())
      .fold[PutOutcome](PutOutcome.Created)(_ => PutOutcome.Taken)
  }

  override def read(path: String): Option[Array[Byte]] = files.get(path).map(_._1.toArray)

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = files.iterator
    .map { case (path, (bytes, millis)) => FileInfo(path, FileInfo.File(bytes.size.toLong), Some(millis)) }
    .filter(file => FileStore.path(directory, file.name) == file.path && file.name.startsWith(prefix))
    .foreach(each)

  override def delete(paths: Seq[String]): Unit = paths.foreach(files.remove(_))

  /** All that there is, as text. */
  def texts: Map[String, String] = files.view.mapValues(file => new String(file._1.toArray)).toMap
}

object MemoryNotes {

  /** Nothing is asked for, and there is nothing to be done. */
  def unasked: FollowUps = FollowUps.none("main", new MemoryNotes)
}
