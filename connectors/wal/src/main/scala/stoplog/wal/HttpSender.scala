// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{ByteArrayOutputStream, IOException}
import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.{Map => JMap}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.{Causes, Redaction}
import stoplog.format.JsonEncoder
import stoplog.options.{Opt, OptionErrors, OptionGroup, OptionReader, OptionType, TimeSpan}

/** Posts rows as JSON lines to a URL; the sender of `sender=http`.
  *
  * Each request has up to `httpBatchRows` rows of a single chunk, the type `application/x-ndjson`, and the
  * header `Idempotency-Key: <chunk>-<number of the request in the chunk>`. The same rows always have the same
  * key, even if a run with another `httpBatchRows` repeats them. So a server that recognizes its keys
  * processes each row once. Any response except 2xx fails the query. If the server is overloaded (429, 503)
  * or does not respond, the sender repeats the request. The pause is the response's `Retry-After` in seconds,
  * up to 300, or else 1, 2, 4, … seconds.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "http").option("url", "https://example.com/rows")
  * }}}
  */
final class HttpSender extends RowSender {
  override def target(options: JMap[String, String]): String =
    Redaction.text(HttpOptions.parse(options).url.toString)

  override def rowsTo(options: JMap[String, String]): String = target(options)

  override private[wal] def requestRows(options: JMap[String, String]): Option[Int] =
    Some(HttpOptions.parse(options).batchRows)

  override def open(options: JMap[String, String], schema: StructType): RowTarget =
    new HttpTarget(HttpOptions.parse(options), schema, millis => Thread.sleep(millis))
}

/** Posts the rows of chunks.
  *
  * @param pause waits for the given milliseconds
  */
private[wal] final class HttpTarget(options: HttpOptions, schema: StructType, pause: Long => Unit)
    extends RowTarget {
  import HttpTarget._

  private def client = clients.of(options.timeoutMillis)(newClient(options.timeoutMillis))

  // Other systems read the JSON lines, so the format does not depend on a session's settings.
  private val encoder = JsonEncoder(Map("lineSep" -> "\n"), sessionTimeZone = "UTC")
  encoder.open(schema)

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
          s"$message, and the server asks to be left alone for ${TimeSpan.render(wait)}, which is more " +
            s"than the ${TimeSpan.render(LongestRetryAfterMillis)} that a chunk waits"
        )
      case Answer.Later(_, wait) if tries > 1 =>
        pause(wait.getOrElse(waitMillis))
        post(key, body, tries - 1, math.min(waitMillis * 2, LongestWaitMillis))
      case Answer.Later(message, _) => throw new IOException(message)
      case Answer.Refused(message)  => throw new IOException(message)
    }

  private def tried(request: HttpRequest): Answer =
    try {
      val answer  = client.send(request, HttpResponse.BodyHandlers.ofString(UTF_8))
      val message = s"the answer was ${answer.statusCode} ${answer.body.take(AnswerLength)}".trim
      answer.statusCode match {
        case ok if ok / 100 == 2 => Answer.Taken
        case busy if Busy(busy)  => Answer.Later(message, retryAfterMillis(answer))
        case _                   => Answer.Refused(message)
      }
    } catch {
      case e: IOException =>
        // The client's other connections may be dead as well: network devices drop connections that are idle
        // for minutes.
        clients.forget(options.timeoutMillis)
        Answer.Later(s"there was no answer (${Causes.reason(e)})", None)
    }

  private def request(key: String, body: Array[Byte]): HttpRequest = {
    val request = HttpRequest
      .newBuilder(options.url)
      .timeout(Duration.ofMillis(options.timeoutMillis))
      .header("Content-Type", "application/x-ndjson")
      .header("Idempotency-Key", key)
      .POST(HttpRequest.BodyPublishers.ofByteArray(body))
    options.headers.foreach { case (name, value) => request.header(name, value) }
    request.build()
  }

  private def retryAfterMillis(answer: HttpResponse[_]): Option[Long] =
    Option(answer.headers.firstValue("Retry-After").orElse(null))
      .flatMap(_.trim.toLongOption)
      .filter(_ >= 0)
      .map(_.min(Int.MaxValue.toLong) * 1000L)

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

  // A client has threads and reusable connections, and is never closed. Each connect timeout has a client.
  val clients = new Recent[Long, HttpClient]

  // HTTP/2 would make the client send an upgrade request to plain servers, and some servers then close the
  // connection.
  def newClient(timeoutMillis: Long): HttpClient = HttpClient
    .newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .connectTimeout(Duration.ofMillis(timeoutMillis))
    .build()

  val Busy: Set[Int] = Set(429, 503)

  sealed trait Answer
  object Answer {
    case object Taken                                                  extends Answer
    final case class Refused(message: String)                          extends Answer
    final case class Later(message: String, afterMillis: Option[Long]) extends Answer
  }

  final val FirstWaitMillis   = 1000L
  final val LongestWaitMillis = 30_000L
  final val AnswerLength      = 200

  // The longest accepted `Retry-After`. While a chunk waits, the query cannot be stopped. If the query fails
  // instead, the chunk remains safe in the log.
  final val LongestRetryAfterMillis = 300_000L
}

/** The settings of requests.
  *
  * @param headers user-defined headers, by name
  */
private[wal] final case class HttpOptions(
    url: URI,
    batchRows: Int,
    retries: Int,
    timeoutMillis: Long,
    headers: Map[String, String]
)

private[wal] object HttpOptions {

  case object Http extends OptionGroup("What `sender=http` posts")

  val Url: Opt[URI] = Http.option(
    "url",
    OptionType[URI]("`http` or `https` URL", uri(_), _.toString),
    "https://example.com/rows"
  )(
    "required with `sender=http`",
    "The address to which rows are posted, as JSON lines. Each option `httpHeader.<name>` is a header of " +
      "all requests."
  )

  val BatchRows: Opt[Int] = Http.withDefault("httpBatchRows", OptionType.count, 500, "1000")(
    "The maximum number of rows of a request."
  )

  val Retries: Opt[Int] = Http.withDefault("httpRetries", OptionType.count, 5, "10")(
    "The maximum number of repetitions of a request if the server was too busy (429, 503) or did not " +
      "respond. Then the query fails."
  )

  val Timeout: Opt[Long] = Http.withDefault("httpTimeout", OptionType.span, 30000L, "2m")(
    "The maximum wait for a response."
  )

  val all: Seq[Opt[_]] = Seq(Url, BatchRows, Retries, Timeout)

  /** Parses the options. User-defined headers are options `httpHeader.<name>`. Error:
    * `STOPLOG_INVALID_OPTIONS`.
    */
  def parse(options: JMap[String, String]): HttpOptions = {
    val errors = new OptionErrors
    val read   = HttpOptions.read(options.asScala.toSeq, errors)
    errors.throwIfAny()
    read
  }

  /** Parses the options, collects all errors, and returns substitutes for invalid values. */
  def read(options: Seq[(String, String)], errors: OptionErrors): HttpOptions = {
    val reader = new OptionReader(options, all, errors)
    if (!reader.isSet(Url)) errors.add("url is not set: set it to where the rows are posted.")
    val url     = reader.get(Url)
    val headers = reader.others.collect {
      case (key, value) if key.toLowerCase.startsWith(Header) => key.drop(Header.length) -> value
    }.toMap
    for {
      (name, value) <- headers
      why           <- Try(HttpRequest.newBuilder().header(name, value)).failed.toOption
    } errors.add(s"httpHeader.$name cannot be sent: ${reason(why)}.")
    HttpOptions(
      url.getOrElse(URI.create("http://unset")),
      reader(BatchRows),
      reader(Retries),
      reader(Timeout),
      headers
    )
  }

  private final val Header = "httpheader."

  private def uri(text: String): Either[String, URI] =
    Try(new URI(text)).toOption
      .filter(uri => Set("http", "https").contains(uri.getScheme) && uri.getHost != null)
      .toRight("is no URL of http or https")

  // Omits the value, which may be a secret.
  private def reason(why: Throwable): String =
    if (String.valueOf(why.getMessage).startsWith("invalid header value"))
      "its value has signs that a header may not have"
    else String.valueOf(why.getMessage)
}
