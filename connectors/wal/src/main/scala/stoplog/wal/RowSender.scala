// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Sends rows to a system without transactions or keys, or to an unknown system. The option `sender` of
  * `format("stoplog-wal")` names a class that extends this trait and has a public constructor without
  * arguments.
  *
  * The sink creates instances on the driver and on executors, at least once on each. Instances should hold no
  * state.
  *
  * {{{
  * final class WebhookSender extends RowSender {
  *   def target(options: JMap[String, String]): String = options.get("url")
  *   def open(options: JMap[String, String], schema: StructType): RowTarget = new Webhook(options.get("url"))
  * }
  * }}}
  */
trait RowSender extends Serializable {

  /** Returns the target of the rows, for messages. Throws for invalid options. Must not access the system.
    *
    * @param options all options of the write; keys are case-insensitive
    */
  def target(options: JMap[String, String]): String

  /** Returns the destination of the rows, without secrets. The log stores the destination with each chunk,
    * and a run with another destination rejects the chunk. By default, the destination is the class name,
    * regardless of its options. Must not access the system.
    *
    * @param options all options of the write; keys are case-insensitive
    */
  def rowsTo(options: JMap[String, String]): String = getClass.getName

  /** Throws if the system cannot accept such rows, because a row rejected later is already in the log. Called
    * on the driver, at the start of each query, before anything is written.
    */
  def check(options: JMap[String, String], schema: StructType): Unit = ()

  /** Returns the times of epochs, for a system in which the later of two writes wins. Called on the driver,
    * once for each start of a query.
    */
  def times(options: JMap[String, String]): EpochTimes = EpochTimes.none

  /** Returns the maximum number of rows in a request, if the system recognizes repeated requests. A chunk's
    * file stores the number, because the requests of a chunk must be the same each time the chunk is sent.
    */
  private[wal] def requestRows(options: JMap[String, String]): Option[Int] = None

  /** Returns how many rows of the query a row of the sink holds. */
  private[wal] def rowsIn(row: InternalRow): Long = 1L

  /** Returns a check that throws for a row that the system can never accept: each restart would send a row of
    * the log again. Called in each task. The check is called before a row is in the log.
    */
  private[stoplog] def rowCheck(options: JMap[String, String], schema: StructType): InternalRow => Unit =
    _ => ()

  /** Opens a connection for a single chunk. Called on an executor. */
  def open(options: JMap[String, String], schema: StructType): RowTarget
}

/** A connection to the system. Used by a single thread. */
trait RowTarget extends AutoCloseable {

  /** Sends all rows in order, and returns after the system has acknowledged all rows. The sink does not send
    * rows again that the system loses afterwards.
    *
    * @return whether all rows were sent. `false` is equivalent to an exception without a cause: the sink
    *   sends the chunk again from its start. If all attempts fail, the query ends with
    *   `STOPLOG_REQUEST_FAILED`
    */
  def send(chunk: Chunk, rows: ChunkRows): Boolean

  /** Returns whether all rows of the chunk have arrived, if the system can determine this: by the chunk's
    * name or by a unique key of each row. Called if a chunk may have been sent but has no note.
    */
  def has(chunk: Chunk): ArrivalStatus = ArrivalStatus.Unknown
}

/** A target that also stores the committer's notes. The transaction that makes the rows of a chunk visible
  * also writes the note. So a chunk never exists without its note, and never twice.
  *
  * [[send]] does nothing if any process has written the chunk's note; [[has]] never returns
  * [[ArrivalStatus.Unknown]]. In its transaction, [[send]] writes the note before the call of
  * [[ChunkRows.iterator]]: the call fails if another process has sent the chunk and the note is already
  * forgotten.
  */
trait NotingTarget extends RowTarget

/** The rows of a chunk in the log. */
trait ChunkRows {

  /** Returns an iterator from the first row at each call. Each row is a copy, which callers may keep. Throws
    * `FileNotFoundException` if another process has sent the chunk and its rows are deleted.
    */
  def iterator: Iterator[InternalRow]

  /** The [[RowSender.requestRows]] of the run that wrote the rows; `None` if not in the file. */
  private[wal] def requestRows: Option[Int] = None
}

/** The arrival of a chunk that may have been sent, as reported by the system. */
sealed trait ArrivalStatus extends Product with Serializable
object ArrivalStatus {

  /** All rows have arrived: the chunk is not sent again. */
  case object Arrived extends ArrivalStatus

  /** No rows have arrived: the chunk is sent. */
  case object Missing extends ArrivalStatus

  /** The arrival is unknown: the chunk is sent again, so rows may be duplicated, but none is lost. */
  case object Unknown extends ArrivalStatus
}

/** Assigns each epoch a time for its rows. Runs on the driver; thread-safe.
  *
  * The time of an epoch is the same in all processes and each time a chunk is sent. The time is later than
  * the times of all earlier epochs of the query, so repeated rows never replace newer rows.
  */
trait EpochTimes extends AutoCloseable {

  /** Returns the time in microseconds since 1970, durable on return; `None` if rows have no time of their
    * epoch. Throws if the epoch has a time under another decision, because rows of two decisions must not
    * have the same time.
    *
    * @param decided the epoch of the chunk
    */
  def of(chunk: Chunk, decided: DecidedEpoch): Option[Long]

  override def close(): Unit = ()
}

object EpochTimes {

  val none: EpochTimes = new EpochTimes {
    override def of(chunk: Chunk, decided: DecidedEpoch): Option[Long] = None
  }
}

/** The rows of a task in an epoch, durable in the log. The chunk's name is globally unique, and the same each
  * time the chunk is sent. So the name and the number of a row form a key.
  *
  * @param query  the id of the streaming query from Spark's checkpoint: stable over restarts and moves of the
  *               checkpoint. In a batch query, the id of its only run. The id distinguishes queries that
  *               store notes in the same place
  * @param epoch  the micro-batch; `None` in a batch query
  */
final case class Chunk(
    sinkId: String,
    query: String,
    name: String,
    epoch: Option[Long],
    partition: Int,
    rows: Long,
    time: EpochTime = EpochTime()
) {

  /** The epoch as a number for deleting notes: 0 in a batch query, which has only a single epoch. */
  def epochNumber: Long = epoch.getOrElse(0L)

  def micros: Option[Long] = time.micros

  def startedAtMillis: Option[Long] = time.startedAtMillis
}

/** The time of a chunk's epoch, the same each time the chunk is sent.
  *
  * @param micros          the time from the sender's [[EpochTimes]], in microseconds since 1970
  * @param startedAtMillis the time at which Spark planned the micro-batch, in milliseconds since 1970. `None`
  *                        in a batch query
  */
final case class EpochTime(micros: Option[Long] = None, startedAtMillis: Option[Long] = None)
