// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{ByteArrayOutputStream, IOException}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Causes
import stoplog.format.JsonEncoder

/** @param pause waits for so many milliseconds */
private[wal] final class HttpTarget(options: HttpOptions, schema: StructType, pause: Long => Unit)
    extends RowTarget {
  import HttpTarget._

  // Not the newer protocol, to which a client would ask plain servers to switch, and some hang up then.
  private val client = HttpClient
    .newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .connectTimeout(Duration.ofMillis(options.timeoutMillis))
    .build()

  // Whatever a session's settings were: what is sent is read by others.
  private val encoder = JsonEncoder(Map("lineSep" -> "\n"), sessionTimeZone = "UTC")
  encoder.open(schema)

  override def send(chunk: Chunk, rows: ChunkRows): Boolean = {
    bodies(rows.iterator).zipWithIndex.foreach { case (body, number) =>
      post(s"${chunk.name}-$number", body, tries = options.retries + 1, waitMillis = FirstWaitMillis)
    }
    true
  }

  override def close(): Unit = ()

  /** A server that cannot be reached may be so soon; and what it took in spite of that, it knows again by the key. */
  @tailrec
  private def post(key: String, body: Array[Byte], tries: Int, waitMillis: Long): Unit =
    tried(request(key, body)) match {
      case Answer.Taken                       => ()
      case Answer.Later(_, wait) if tries > 1 =>
        pause(wait.getOrElse(waitMillis))
        post(key, body, tries - 1, math.min(waitMillis * 2, LongestWaitMillis))
      case Answer.Later(said, _) => throw new IOException(said)
      case Answer.Refused(said)  => throw new IOException(said)
    }

  private def tried(request: HttpRequest): Answer =
    try {
      val answer = client.send(request, HttpResponse.BodyHandlers.ofString(UTF_8))
      val said   = s"the answer was ${answer.statusCode} ${answer.body.take(AnswerLength)}".trim
      answer.statusCode match {
        case ok if ok / 100 == 2 => Answer.Taken
        case busy if Busy(busy)  => Answer.Later(said, retryAfterMillis(answer))
        case _                   => Answer.Refused(said)
      }
    } catch { case e: IOException => Answer.Later(s"there was no answer (${Causes.reason(e)})", None) }

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
      .flatMap(_.trim.toIntOption)
      .filter(_ >= 0)
      .map(_ * 1000L)

  /** Rows are reused, so a batch of them cannot be held: it is encoded while it is read. */
  private def bodies(rows: Iterator[InternalRow]): Iterator[Array[Byte]] = new Iterator[Array[Byte]] {
    override def hasNext: Boolean = rows.hasNext

    override def next(): Array[Byte] = {
      val out  = new ByteArrayOutputStream()
      var left = options.batchRows
      while (left > 0 && rows.hasNext) {
        encoder.encode(rows.next(), out)
        left -= 1
      }
      out.toByteArray
    }
  }
}

private object HttpTarget {
  val Busy: Set[Int] = Set(429, 503)

  sealed trait Answer
  object Answer {
    case object Taken                                               extends Answer
    final case class Refused(said: String)                          extends Answer
    final case class Later(said: String, afterMillis: Option[Long]) extends Answer
  }

  final val FirstWaitMillis   = 1000L
  final val LongestWaitMillis = 30_000L
  final val AnswerLength      = 200
}
