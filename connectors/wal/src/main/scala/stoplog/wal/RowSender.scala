// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Sends rows to a system that knows neither transactions nor keys, or of which nothing else is known: the option
  * `sender` of `format("stoplog-wal")` names a class that extends this and has a public constructor without arguments.
  *
  * It is made on the driver and on executors, once for each of them and more often; it should hold nothing.
  *
  * {{{
  * final class WebhookSender extends RowSender {
  *   def target(options: JMap[String, String]): String = options.get("url")
  *   def open(options: JMap[String, String], schema: StructType): RowTarget = new Webhook(options.get("url"))
  * }
  * }}}
  */
trait RowSender extends Serializable {

  /** The target of the rows, for messages. Asks nothing of the system; throws if the options cannot be used.
    *
    * @param options all options of the write, in any case of their names
    */
  def target(options: JMap[String, String]): String

  /** The destination of the rows, without secrets. The log contains it for each chunk, and a run that would send the chunk to
    * another destination refuses. By default it is the class, whatever its options are. Asks nothing of the system.
    *
    * @param options all options of the write, in any case of their names
    */
  def rowsTo(options: JMap[String, String]): String = getClass.getName

  /** Throws if the system cannot take such rows: a row that it refuses later is in the log by then. Called on the driver, at
    * the start of each query, before anything is written.
    */
  def check(options: JMap[String, String], schema: StructType): Unit = ()

  /** For a system in which the later of two writes wins. Called on the driver, once for each start of a query. */
  def times(options: JMap[String, String]): EpochTimes = EpochTimes.none

  /** How many rows a request has at most, if the system knows requests again: a chunk's file keeps the number, since the
    * requests of the chunk have to be the same each time it is sent.
    */
  private[wal] def requestRows(options: JMap[String, String]): Option[Int] = None

  /** A connection, for one chunk. Called on an executor. */
  def open(options: JMap[String, String], schema: StructType): RowTarget
}

/** A connection to the system. Used by one thread. */
trait RowTarget extends AutoCloseable {

  /** Sends all rows, in their order, and returns when the system has acknowledged all of them: what it loses afterwards is
    * lost.
    *
    * @return whether it has. `false` means the same as an exception, without a cause to tell: the chunk is sent again,
    *         from its beginning, and the query ends with `STOPLOG_WAL_NOT_SENT` if that helps no more
    */
  def send(chunk: Chunk, rows: ChunkRows): Boolean

  /** Whether all rows of the chunk have arrived, where the system can tell: because it remembers the chunk's name, or because
    * each row is under a key of its own. It is asked when a chunk may have been sent, and has no note.
    */
  def has(chunk: Chunk): Arrival = Arrival.Unknown
}

/** A target that holds the committer's notes as well, and notes a chunk in the transaction that makes its rows visible. So no
  * chunk is ever there without its note, or twice.
  *
  * [[send]] does nothing if the chunk is noted, by any process; [[has]] never answers that it does not know.
  */
trait NotingTarget extends RowTarget

/** The rows of one chunk, where they lie in the log. */
trait ChunkRows {

  /** All of them, from the first one on, at each call. The row object is reused, so it must not be kept. */
  def iterator: Iterator[InternalRow]

  /** [[RowSender.requestRows]] of the run that wrote them; `None` if that is not in their file. */
  private[wal] def requestRows: Option[Int] = None
}

/** A system's answer about a chunk that may have been sent. */
sealed trait Arrival extends Product with Serializable
object Arrival {

  /** All of it is there: it is not sent again. */
  case object Arrived extends Arrival

  /** None of it is there: it is sent. */
  case object Missing extends Arrival

  /** It is sent again: rows may come twice, and none is lost. */
  case object Unknown extends Arrival
}

/** Gives each epoch a time that its rows are written with. On the driver; used by several threads.
  *
  * The time is the same each time a chunk is sent, by whichever process, and later than those of all earlier epochs of the
  * query, so what is sent again never replaces what is newer.
  */
trait EpochTimes extends AutoCloseable {

  /** In microseconds since 1970, durable on return; `None` if rows have no time of their epoch. Throws if the epoch has been
    * given its time under another decision: rows of two decisions must not have one time.
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

/** The rows of one task of one epoch, durable in the log. Its name occurs once in the world, and is the same each time the
  * chunk is sent: with the number of a row it makes a key.
  *
  * @param query  whose epochs these are: the query, by the id that Spark keeps in its checkpoint, over restarts and wherever
  *               that is moved; of a batch query, its one run. Queries that keep notes at one place are told apart by it
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

  /** The epoch as a number, by which notes are forgotten: 0 in a batch query, which has only one. */
  def epochNumber: Long = epoch.getOrElse(0L)

  def micros: Option[Long] = time.micros

  def startedAtMillis: Option[Long] = time.startedAtMillis
}

/** The time of a chunk's epoch, the same each time the chunk is sent.
  *
  * @param micros          as the sender's [[EpochTimes]] has it, in microseconds since 1970
  * @param startedAtMillis when Spark planned the micro-batch, in milliseconds since 1970. `None` in a batch query, and for a
  *                        chunk that an older release has put into the log
  */
final case class EpochTime(micros: Option[Long] = None, startedAtMillis: Option[Long] = None)
