// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Sends rows to a system that knows neither transactions nor keys, or of which nothing else is known: what the option
  * `sender` of `format("stoplog-wal")` names, a class that extends this and has a public constructor without arguments.
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

  /** Where the rows go, for messages. Asks nothing of the system; throws if the options cannot be used.
    *
    * @param options all options of the write, in any case of their names
    */
  def target(options: JMap[String, String]): String

  /** Throws if the system cannot take such rows: a row that it refuses later is in the log by then. Called on the driver, at
    * the start of each query, before anything is written.
    */
  def check(options: JMap[String, String], schema: StructType): Unit = ()

  /** For a system in which the later of two writes wins. Called on the driver, once for each start of a query. */
  def times(options: JMap[String, String]): EpochTimes = EpochTimes.none

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
    * each row is under a key of its own. It is asked when a chunk may have been sent, and nobody wrote down that it was.
    */
  def has(chunk: Chunk): Arrival = Arrival.Unknown
}

/** A target that holds the committer's notes as well, and notes a chunk in the transaction that makes its rows visible. So no
  * chunk is ever there without its note, or twice.
  *
  * [[send]] does nothing if the chunk is noted, whoever was first; [[has]] never answers that it does not know.
  */
trait NotingTarget extends RowTarget

/** The rows of one chunk, where they lie in the log. */
trait ChunkRows {

  /** All of them, from the first one on, as often as anybody asks. The row object is reused, so it must not be kept. */
  def iterator: Iterator[InternalRow]
}

/** What a system says of a chunk that may have been sent. */
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

  /** In microseconds since 1970, durable on return; `None` if rows have no time of their epoch. */
  def of(chunk: Chunk): Option[Long]

  override def close(): Unit = ()
}

object EpochTimes {

  val none: EpochTimes = new EpochTimes {
    override def of(chunk: Chunk): Option[Long] = None
  }
}
