package stoplog.wal

import java.util.{Map => JMap}

import stoplog.store.NoteStore

/** Keeps notes as empty files in the sink's log: `_stoplog/<sinkId>/sent/<epoch>-<chunk>`. The default, for any target. */
final class FileCommitters extends CheckpointCommitters {
  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter =
    new FileCommitter(log.notes)
}

private[wal] final class FileCommitter(notes: NoteStore) extends CheckpointCommitter {

  override def isCommitted(chunk: Chunk): Boolean = notes.read(path(chunk)).isDefined

  override def commit(chunk: Chunk): Unit = {
    notes.putIfAbsent(path(chunk), Array[Byte]('\n'))
    ()
  }

  override def forgetBefore(sinkId: String, epoch: Long): Unit = {
    val old =
      notes.list(FileCommitter.directory(sinkId), prefix = "").filter(note => note.name < f"$epoch%020d")
    if (old.nonEmpty) notes.delete(old.map(_.path))
  }

  private def path(chunk: Chunk): String =
    NoteStore.path(FileCommitter.directory(chunk.sinkId), f"${chunk.epoch.getOrElse(0L)}%020d-${chunk.name}")
}

private object FileCommitter {
  def directory(sinkId: String): String = s"_stoplog/$sinkId/sent"
}
