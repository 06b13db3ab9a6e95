// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.{Map => JMap}
import java.util.concurrent.{CompletionException, TimeoutException}

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Redaction}
import stoplog.format.JsonEncoder
import stoplog.options.TimeSpan
import stoplog.thread.{Clock, StopSignal}

/** Posts rows as JSON lines to a URL; the sender of `sender=http`.
  *
  * Each request has up to `httpBatchRows` rows of a single chunk, the type `application/x-ndjson`, and the
  * header `Idempotency-Key: <chunk>-<number of the request in the chunk>`. The same rows always have the same
  * key, even if a run with another `httpBatchRows` repeats them. So a server that recognizes its keys
  * processes each row once. Any response except 2xx fails the query. If the server is overloaded or does not
  * respond completely within `httpTimeout`, the sender repeats the request: [[HttpOptions.RetryStatus]] lists
  * the responses. The pause is the response's `Retry-After`, up to 300 seconds, or else 1, 2, 4, … seconds.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "http").option("url", "https://example.com/rows")
  * }}}
  */
final class HttpSender extends RowSender {
  override def target(options: JMap[String, String]): String =
    Redaction.text(HttpOptions.parse(options).url.toString)

  /** Two URLs may differ only in text that is hidden in messages, such as `?stream=orders`. So the
    * destination has a fingerprint of such a URL, without parameters like `token`, whose values may change.
    */
  override def rowsTo(options: JMap[String, String]): String = {
    val lasting = HttpSender.withoutSecrets(HttpOptions.parse(options).url.toString)
    if (Redaction.text(lasting) == lasting) target(options)
    else s"${target(options)} (${HttpSender.fingerprint(lasting)})"
  }

  override private[wal] def requestRows(options: JMap[String, String]): Option[Int] =
    Some(HttpOptions.parse(options).batchRows)

  override private[stoplog] def rowCheck(
      options: JMap[String, String],
      schema: StructType
  ): InternalRow => Unit = {
    val encoder = HttpTarget.encoder(HttpOptions.parse(options), schema)
    encoder.encode(_, OutputStream.nullOutputStream())
  }

  override def open(options: JMap[String, String], schema: StructType): RowTarget =
    new HttpTarget(HttpOptions.parse(options), schema, StopSignal.ofThisThread, Clock.system)
}

private object HttpSender {

  // A fingerprint takes a tenth of a second, and each task needs the fingerprint.
  private val fingerprints = new Recent[String, String]

  def fingerprint(url: String): String = fingerprints.of(url)(Redaction.fingerprint("url", url))

  /** Returns the URL without parameters whose names show a secret. */
  def withoutSecrets(url: String): String = {
    val (place, query) = url.span(_ != '?')
    val parameters = query.drop(1).split('&').filter(each => each.nonEmpty && Redaction.text(each) == each)
    if (parameters.isEmpty) place else parameters.mkString(s"$place?", "&", "")
  }
}

/** Posts the rows of chunks.
  *
  * @param stop ends all waits of the target
  */
private[wal] final class HttpTarget(
    options: HttpOptions,
    schema: StructType,
    stop: StopSignal,
    clock: Clock
) extends RowTarget {
  import HttpTarget._

  private def client = clients.of(options.timeoutMillis)(newClient(options.timeoutMillis))

  private val encoder = HttpTarget.encoder(options, schema)

  override def send(chunk: Chunk, rows: ChunkRows): Boolean = {
    val most = rows.requestRows.getOrElse(options.batchRows)
    bodies(rows.iterator, most).zipWithIndex.foreach { case (body, number) =>
      post(s"${chunk.name}-$number", body, tries = options.retries + 1, waitMillis = FirstWaitMillis)
    }
    true
  }

  override def close(): Unit = ()

  /** Retries a request without a response. If the server accepted the rows anyway, it recognizes the key. */
  @tailrec
  private def post(key: String, body: Array[Byte], tries: Int, waitMillis: Long): Unit =
    tried(request(key, body)) match {
      case Answer.Taken                                                        => ()
      case Answer.Later(message, Some(wait)) if wait > LongestRetryAfterMillis =>
        throw new IOException(
          s"$message, and the server requests a pause of ${TimeSpan.render(wait)}, which is longer " +
            s"than the maximum for a chunk, ${TimeSpan.render(LongestRetryAfterMillis)}"
        )
      case Answer.Later(_, wait) if tries > 1 =>
        stop.pause(wait.getOrElse(waitMillis))
        post(key, body, tries - 1, math.min(waitMillis * 2, LongestWaitMillis))
      case Answer.Later(message, _) => throw new IOException(message)
      case Answer.Refused(message)  => throw new IOException(message)
    }

  /** Sends the request, and waits until the whole response has arrived. The client's own timeout ends with
    * the headers of a response, so a server could hold the body back for ever (JDK-8208693).
    */
  private def tried(request: HttpRequest): Answer = {
    val call = client.sendAsync(request, _ => new FirstBytes().subscriber)
    try {
      val answer  = stop.await(call, options.timeoutMillis)
      val message = s"the response was ${answer.statusCode} ${answer.body.take(AnswerLength)}".trim
      answer.statusCode match {
        case ok if ok / 100 == 2                   => Answer.Taken
        case busy if HttpOptions.RetryStatus(busy) =>
          Answer.Later(message, RetryAfterHeader.millis(answer, clock))
        case 413 => Answer.Refused(s"$TooLarge ($message)")
        case _   => Answer.Refused(message)
      }
    } catch {
      case _: TimeoutException =>
        unanswered(s"no complete response arrived within ${TimeSpan.render(options.timeoutMillis)}")
      case e: CompletionException if e.getCause.isInstanceOf[IOException] => unanswered(noAnswer(e.getCause))
      case e: IOException                                                 => unanswered(noAnswer(e))
    } finally {
      // Closes the connection of an incomplete exchange. Does nothing after a response.
      call.cancel(true)
      ()
    }
  }

  /** The client's other connections may be dead as well: network devices drop connections that are idle for
    * minutes.
    */
  private def unanswered(message: String): Answer = {
    clients.forget(options.timeoutMillis)
    Answer.Later(message, None)
  }

  private def noAnswer(e: Throwable): String = s"there was no response (${Causes.reason(e)})"

  private def request(key: String, body: Array[Byte]): HttpRequest = {
    val request = HttpRequest
      .newBuilder(options.url)
      .header("Content-Type", "application/x-ndjson")
      .header("Idempotency-Key", key)
      .POST(HttpRequest.BodyPublishers.ofByteArray(body))
    options.headers.foreach { case (name, value) => request.header(name, value) }
    request.build()
  }

  /** Encodes rows as they are read, because rows are reused and cannot be buffered. */
  private def bodies(rows: Iterator[InternalRow], most: Int): Iterator[Array[Byte]] =
    Iterator.continually(rows).takeWhile(_.hasNext).map { rows =>
      val out  = new ByteArrayOutputStream()
      var left = most
      while (left > 0 && rows.hasNext) {
        encoder.encode(rows.next(), out)
        left -= 1
      }
      out.toByteArray
    }
}

private object HttpTarget {

  def encoder(options: HttpOptions, schema: StructType): JsonEncoder = {
    val made = JsonEncoder(options.json, sessionTimeZone = "UTC")
    made.open(schema)
    made
  }

  // A client has threads and reusable connections, and is never closed. Each connect timeout has a client.
  val clients = new Recent[Long, HttpClient]

  // HTTP/2 would make the client send an upgrade request to plain servers, and some servers then close the
  // connection.
  def newClient(timeoutMillis: Long): HttpClient = HttpClient
    .newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .connectTimeout(Duration.ofMillis(timeoutMillis))
    .build()

  sealed trait Answer
  object Answer {
    case object Taken                                                  extends Answer
    final case class Refused(message: String)                          extends Answer
    final case class Later(message: String, afterMillis: Option[Long]) extends Answer
  }

  /** Keeps the start of a response's body for messages, and drops the rest, which may have any length. */
  final class FirstBytes {
    private val kept = new ByteArrayOutputStream()

    def subscriber: HttpResponse.BodySubscriber[String] = HttpResponse.BodySubscribers.mapping(
      HttpResponse.BodySubscribers.ofByteArrayConsumer(_.ifPresent { bytes =>
        kept.write(bytes, 0, bytes.length.min(MostBytes - kept.size))
      }),
      (_: Void) => kept.toString(UTF_8)
    )
  }

  // First in the message, because the response may have several lines.
  private final val TooLarge =
    "the request is larger than the server allows: raise this limit, because a smaller httpBatchRows " +
      "applies only to rows that are not in the log yet"

  final val FirstWaitMillis   = 1000L
  final val LongestWaitMillis = 30_000L
  final val AnswerLength      = 200
  private final val MostBytes = 4 * AnswerLength

  // The longest accepted `Retry-After`. If the query fails instead, the chunk remains safe in the log.
  final val LongestRetryAfterMillis = 300_000L
}
