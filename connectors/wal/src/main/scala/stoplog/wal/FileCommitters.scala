// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import stoplog.storage.FileStore

/** Keeps notes as empty files in the sink's log: `_stoplog/<sinkId>/sent/<query>/<epoch>-<chunk>`. The default, for any
  * target.
  */
final class FileCommitters extends CheckpointCommitters {
  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter =
    new FileCommitter(log.notes, log.sinkId)
}

private[wal] final class FileCommitter(notes: FileStore, sinkId: String) extends CheckpointCommitter {

  override def isCommitted(chunk: Chunk): Boolean = notes.read(path(chunk)).isDefined

  override def commit(chunk: Chunk): Unit = {
    notes.putIfAbsent(path(chunk), Array[Byte]('\n'))
    ()
  }

  override def forgetBefore(query: String, epoch: Long): Unit = {
    val old = notes.list(directory(query), prefix = "").filter(note => note.name < f"$epoch%020d")
    if (old.nonEmpty) notes.delete(old.map(_.path))
  }

  private def path(chunk: Chunk): String =
    FileStore.path(directory(chunk.query), f"${chunk.epochNumber}%020d-${chunk.name}")

  private def directory(query: String): String = s"_stoplog/$sinkId/sent/$query"
}
