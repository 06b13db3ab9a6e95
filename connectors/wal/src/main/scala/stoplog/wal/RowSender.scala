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

  /** Where the rows go, for messages.
    *
    * @param options all options of the write, in any case of their names
    */
  def target(options: JMap[String, String]): String

  /** A connection, for one chunk. Called on an executor. */
  def open(options: JMap[String, String], schema: StructType): RowTarget
}

/** A connection to the system. Used by one thread. */
trait RowTarget extends AutoCloseable {

  /** Sends all rows, in their order, and returns when the system has acknowledged all of them: what it loses afterwards is
    * lost. Whatever it throws makes that the chunk is sent again, from its beginning.
    *
    * @param rows the row object is reused, so it must not be kept
    */
  def send(chunk: Chunk, rows: Iterator[InternalRow]): Unit

  /** Whether all rows of the chunk have arrived, where the system can tell: because it remembers the chunk's name, or because
    * each row is under a key of its own. It is asked when a chunk may have been sent, and nobody wrote down that it was.
    */
  def has(chunk: Chunk): Arrival = Arrival.Unknown
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

/** The rows of one task of one epoch, durable in the log. Its name occurs once in the world, and is the same each time the
  * chunk is sent: with the number of a row it makes a key.
  *
  * @param epoch the micro-batch; `None` in a batch query
  */
final case class Chunk(sinkId: String, name: String, epoch: Option[Long], partition: Int, rows: Long)
