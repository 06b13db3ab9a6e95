// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import stoplog.log.{BatchDigest, QueryEpoch}
import stoplog.storage.{Digits, FileStore, SinkDirectory, SpoolFiles}
import stoplog.stores.SinkStorage

/** Remembers the sent chunks in a place that outlives all processes. Used by the driver and the executors.
  *
  * If the place is the target itself, a [[NotingTarget]] writes the chunk and its note in the same
  * transaction, so no row arrives twice. In any other place, a process may die after the last row and before
  * the note.
  */
trait CheckpointCommitter extends AutoCloseable {

  /** Whether the chunk has a note. */
  def isCommitted(chunk: Chunk): Boolean

  /** Writes the note of a chunk durably. Writing the note again is not an error. */
  def commit(chunk: Chunk): Unit

  /** Deletes the notes of the query's epochs before this epoch. The chunks of these epochs were sent, and
    * their files are deleted. So an obsolete task without a note finds no rows. Called on the driver.
    *
    * @param query as in [[Chunk]]
    * @param epoch the first epoch to keep; `Long.MaxValue` for a finished batch query
    */
  def forgetBefore(query: String, epoch: Long): Unit

  /** Records durably that the epoch's chunks are being sent, unless a later epoch of the query, or another
    * decision on this epoch, is recorded. Returns the newest recorded epoch of the query afterwards. If the
    * result differs from `decided`, the checkpoint and the log are older than the target, and the sink sends
    * nothing. Returns `None`, the default, if the committer does not record epochs. Called on the driver,
    * before the first chunk of an epoch is sent.
    */
  def begin(decided: DecidedEpoch): Option[DecidedEpoch] = None

  override def close(): Unit = ()
}

/** An epoch whose chunks are in the log. A log restored from an older copy may decide an epoch again, with
  * different chunks. So the number and the decision together identify the epoch.
  *
  * @param query    as in [[Chunk]]
  * @param decision the id of the run that wrote the record, up to 64 characters; empty if unknown
  */
final case class DecidedEpoch(query: String, epoch: Long, decision: String) {

  /** The digest of the decision; `None` if the decision is unknown. */
  private[stoplog] def digest: Option[BatchDigest] = Option.when(decision.nonEmpty)(BatchDigest(decision))

  /** Returns this epoch as the newest epoch of its query. */
  private[stoplog] def asNewest: QueryEpoch = QueryEpoch(query, Some(epoch), digest)
}

/** Creates a [[CheckpointCommitter]]. The option `committer` names a class that extends this trait and has a
  * public constructor without arguments.
  */
trait CheckpointCommitters extends Serializable {

  /** Throws if the options are invalid. Must not access any other system.
    *
    * @param options all options of the write; keys are case-insensitive
    */
  def check(options: JMap[String, String]): Unit = ()

  /** Returns the place of the notes, for messages and without secrets. The log stores the place with each
    * chunk, and a run with a different place rejects the chunk. By default, the place is the class name,
    * regardless of its options. Must not access any other system.
    *
    * @param options all options of the write; keys are case-insensitive
    */
  def notesAt(options: JMap[String, String]): String = getClass.getName

  /** Creates the place of the notes if absent. Called on the driver, at each start, before anything is sent.
    */
  def prepare(options: JMap[String, String], log: LogPlace): Unit = ()

  /** Opens a committer.
    *
    * @param options all options of the write; keys are case-insensitive
    * @param log     the sink's log, where a committer may store its notes
    */
  def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter
}

/** The place of a sink's log, on any storage. Serialized to the executors, where no session provides Hadoop's
  * settings. Therefore the object contains the storage created by the driver.
  */
final class LogPlace private[wal] (storage: SinkStorage) extends Serializable {
  def sinkId: String = storage.sinkId

  /** The directory, as specified by the user. */
  def location: String = storage.path

  /** Small files of the sink. */
  private[wal] def notes: FileStore = storage.files

  /** Files of rows. */
  private[wal] def files: SpoolFiles = storage.spoolFiles
}

/** Stores notes as empty files in the sink's log: `_stoplog/<sinkId>/sent/<query>/<epoch>-<chunk>`. The
  * default, for any target.
  */
final class FileCommitters extends CheckpointCommitters {
  override def notesAt(options: JMap[String, String]): String = "files of the sink's log"

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
    val old = notes.list(directory(query), prefix = "").filter(note => note.name < Digits.of(epoch))
    if (old.nonEmpty) notes.delete(old.map(_.path))
  }

  private def path(chunk: Chunk): String =
    FileStore.path(directory(chunk.query), s"${Digits.of(chunk.epochNumber)}-${chunk.name}")

  private def directory(query: String): String = s"${SinkDirectory(sinkId).sent}/$query"
}
