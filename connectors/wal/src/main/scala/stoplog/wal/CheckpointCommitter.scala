// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import stoplog.log.{BatchDigest, QueryEpoch}
import stoplog.place.SinkStorage
import stoplog.storage.{FileStore, SinkDirectory, SpoolFiles}

/** Remembers the chunks that have been sent, at a place that outlives all processes. Used by driver and executors.
  *
  * If the place is the target itself, a [[NotingTarget]] writes the chunk and its note in one transaction, and nothing ever
  * comes twice. Anywhere else a process may die after the last row and before the note.
  */
trait CheckpointCommitter extends AutoCloseable {

  /** Whether a chunk is noted. */
  def isCommitted(chunk: Chunk): Boolean

  /** Notes it, durably. Noting it again is no error. */
  def commit(chunk: Chunk): Unit

  /** Forgets the query's epochs before this one, all of whose chunks have been noted: only a task that was given up, and does
    * not know it, still asks for them. Called on the driver.
    *
    * @param query as in [[Chunk]]
    * @param epoch of a batch query that is over, `Long.MaxValue`
    */
  def forgetBefore(query: String, epoch: Long): Unit

  /** Notes durably that the epoch's chunks are sent, unless a later epoch of the query is noted, or another decision on this
    * epoch. Returns the newest epoch of the query that is noted afterwards: if it is another one than `decided`, the
    * checkpoint and the log are older than the target, and nothing is sent. Returns `None`, the default, if the place of
    * the notes keeps no epochs. Called on the driver, before the first chunk of an epoch is sent.
    */
  def begin(decided: DecidedEpoch): Option[DecidedEpoch] = None

  override def close(): Unit = ()
}

/** An epoch whose chunks are in the log. A log that was restored from an older copy may decide an epoch a second time, with
  * other chunks: the number and the decision together are the epoch.
  *
  * @param query    as in [[Chunk]]
  * @param decision the run that has written the record, up to 64 characters; empty if it is not known
  */
final case class DecidedEpoch(query: String, epoch: Long, decision: String) {

  /** The decision as a digest; `None` if it is not known. */
  private[stoplog] def digest: Option[BatchDigest] = Option.when(decision.nonEmpty)(BatchDigest(decision))

  /** As the newest epoch of its query. */
  private[stoplog] def asNewest: QueryEpoch = QueryEpoch(query, Some(epoch), digest)
}

/** Makes a [[CheckpointCommitter]]: the option `committer` names a class that extends this and has a public constructor
  * without arguments.
  */
trait CheckpointCommitters extends Serializable {

  /** Throws if the options cannot be used. Asks nothing of any other system.
    *
    * @param options all options of the write, in any case of their names
    */
  def check(options: JMap[String, String]): Unit = ()

  /** The place of the notes, for messages and without secrets. It goes into the log with each chunk: a run that would look for the
    * chunk's note at another place refuses to send it. By default it is the class, whatever its options are. Asks nothing of any
    * other system.
    *
    * @param options all options of the write, in any case of their names
    */
  def notesAt(options: JMap[String, String]): String = getClass.getName

  /** Makes the place where it is not there. Called on the driver, at each start, before anything is sent. */
  def prepare(options: JMap[String, String], log: LogPlace): Unit = ()

  /** @param options all options of the write, in any case of their names
    * @param log     the sink's log, where a committer may keep its notes
    */
  def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter
}

/** The place of a sink's log, on any storage. Goes to the executors, where no session is that could tell Hadoop's settings: so
  * it carries the storage, which the driver has made.
  */
final class LogPlace private[wal] (storage: SinkStorage) extends Serializable {
  def sinkId: String = storage.sinkId

  /** The directory, as the user gave it. */
  def location: String = storage.path

  /** Small files of the sink. */
  private[wal] def notes: FileStore = storage.files

  /** Files of rows. */
  private[wal] def files: SpoolFiles = storage.spoolFiles
}

/** Keeps notes as empty files in the sink's log: `_stoplog/<sinkId>/sent/<query>/<epoch>-<chunk>`. The default, for any
  * target.
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
    val old = notes.list(directory(query), prefix = "").filter(note => note.name < f"$epoch%020d")
    if (old.nonEmpty) notes.delete(old.map(_.path))
  }

  private def path(chunk: Chunk): String =
    FileStore.path(directory(chunk.query), f"${chunk.epochNumber}%020d-${chunk.name}")

  private def directory(query: String): String = s"${SinkDirectory(sinkId).sent}/$query"
}
