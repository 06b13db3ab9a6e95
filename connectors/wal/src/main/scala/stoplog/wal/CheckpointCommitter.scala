package stoplog.wal

import java.util.{Map => JMap}

/** Remembers which chunks have been sent, at a place that outlives all processes. Used by driver and executors.
  *
  * Where the place is the target itself, and the target writes the chunk and the committer's note in one transaction, nothing
  * ever comes twice. Anywhere else a process may die after the last row and before the note.
  */
trait CheckpointCommitter extends AutoCloseable {

  /** Whether a chunk is noted. */
  def isCommitted(chunk: Chunk): Boolean

  /** Notes it, durably. Noting it again is no error. */
  def commit(chunk: Chunk): Unit

  /** No chunk of an epoch before this one will be asked for any more. */
  def forgetBefore(sinkId: String, epoch: Long): Unit

  override def close(): Unit = ()
}

/** Makes a [[CheckpointCommitter]]: what the option `committer` names, a class that extends this and has a public constructor
  * without arguments.
  */
trait CheckpointCommitters extends Serializable {

  /** @param options all options of the write, in any case of their names
    * @param log     the sink's log, where a committer may keep its notes
    */
  def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter
}
