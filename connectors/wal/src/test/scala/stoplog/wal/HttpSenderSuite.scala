// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{ZoneOffset, ZonedDateTime}
import java.time.format.DateTimeFormatter

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, StringType, StructType, TimestampNTZType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.StoplogException
import stoplog.format.SparkSessionForTests
import stoplog.sink.CommitOutcome
import stoplog.thread.{Clock, StopSignal}

class HttpSenderSuite extends AnyFunSuite with BeforeAndAfterEach with SparkSessionForTests {
  private val schema = new StructType().add("id", IntegerType).add("word", StringType)
  private val chunk  = Chunk("main", "query", "chunk-1", Some(7L), 0, rows = 5)

  private val posts   = mutable.Buffer.empty[Post]
  private val pauses  = mutable.Buffer.empty[Long]
  private val answers = mutable.Queue.empty[(Int, Option[String])]

  private var server: HttpServer = _

  override protected def beforeEach(): Unit = {
    Seq(posts, pauses, answers).foreach(_.clear())
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.createContext("/rows", answer(_))
    server.start()
  }

  override protected def afterEach(): Unit = server.stop(0)

  private def answer(exchange: HttpExchange): Unit = synchronized {
    val headers = exchange.getRequestHeaders
    posts += Post(
      headers.getFirst("Idempotency-Key"),
      headers.getFirst("X-Team"),
      new String(exchange.getRequestBody.readAllBytes(), UTF_8)
    )
    val (status, retryAfter) = if (answers.isEmpty) (204, None) else answers.dequeue()
    retryAfter.foreach(exchange.getResponseHeaders.set("Retry-After", _))
    exchange.sendResponseHeaders(status, -1)
    exchange.close()
  }

  private def send(rows: Int, retries: Int = 3, more: Map[String, String] = Map.empty): Unit =
    sendUntil(recorded, rows, retries, more)

  private def sendUntil(stop: StopSignal, rows: Int, retries: Int, more: Map[String, String]): Unit = {
    val plain = Map(
      "url"               -> url,
      "httpBatchRows"     -> "2",
      "httpRetries"       -> retries.toString,
      "httpHeader.X-Team" -> "blue"
    )
    val options = HttpOptions.parse((plain ++ more).asJava)
    val target  = new HttpTarget(options, schema, stop, HttpSenderSuite.fixedClock)
    target.send(
      chunk,
      new ChunkRows {
        override def iterator: Iterator[InternalRow] = rowsUpTo(rows).iterator
      }
    )
  }

  private val recorded = new StopSignal {
    override def isStopped: Boolean        = false
    override def pause(millis: Long): Unit = pauses.append(millis)
  }

  private def url: String = s"http://127.0.0.1:${server.getAddress.getPort}/rows"

  private def rowsUpTo(last: Int): Seq[InternalRow] =
    (1 to last).map(n => InternalRow(n, UTF8String.fromString(s"w$n")))

  test("rows are posted as lines in batches with stable keys") {
    send(rows = 5)
    val first = posts.toVector
    assert(first.map(_.key) === Seq("chunk-1-0", "chunk-1-1", "chunk-1-2"))
    assert(first.map(_.body).mkString === (1 to 5).map(n => s"""{"id":$n,"word":"w$n"}\n""").mkString)
    assert(first.forall(_.header == "blue"))
    posts.clear()
    send(rows = 5)
    assert(posts.toVector === first)
  }

  test("a key identifies the same rows when httpBatchRows changes between attempts", LongRun.Only) {
    spark
    val world = new ChunkWorld(Map("sender" -> "http", "url" -> url, "httpBatchRows" -> "2"), schema)
    val five  = world.prepared(rowsUpTo(5))
    answers ++= Seq(204 -> None, 400 -> None)
    intercept[StoplogException](world.send(five))
    assert(world.send(five, more = Map("httpBatchRows" -> "3")) === CommitOutcome.Committed)
    // A server that remembers keys takes what first came under each.
    val taken = posts.filterNot(_ eq posts(1)).distinctBy(_.key).map(_.body).mkString
    assert(taken === (1 to 5).map(n => s"""{"id":$n,"word":"w$n"}\n""").mkString)
  }

  test("a chunk file of release 0.1.0 records only its columns") {
    assert(ChunkNote.parse(schema.json) === ChunkNote(schema, requestRows = None))
    assert(ChunkNote.parse(ChunkNote(schema, Some(500)).text) === ChunkNote(schema, Some(500)))
  }

  test("a busy server is retried after Retry-After or a growing wait") {
    answers ++= Seq(503 -> None, 429 -> Some("7"), 503 -> None, 200 -> None)
    send(rows = 1)
    assert(posts.map(_.key).distinct === Seq("chunk-1-0"))
    assert(pauses === Seq(1000, 7000, 4000))
  }

  test("a wait stays between zero and half a minute") {
    answers ++= Seq(503 -> Some("-5")) ++ Seq.fill(7)(503 -> None) :+ (429 -> Some("soon"))
    send(rows = 1, retries = 9)
    assert(pauses === Seq(1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000))
  }

  test("Retry-After up to five minutes is honored, and a longer wait fails") {
    answers ++= Seq(503 -> Some("300"), 200 -> None)
    send(rows = 1)
    assert(pauses === Seq(300000))
    for ((asked, told) <- Seq("301" -> "301s", "7200" -> "2h", "99999999999" -> "for")) {
      pauses.clear()
      posts.clear()
      answers += 429 -> Some(asked)
      val error = intercept[java.io.IOException](send(rows = 1))
      assert(error.getMessage.contains(s"requests a pause of"), error.getMessage)
      assert(error.getMessage.contains(told), error.getMessage)
      assert(pauses.isEmpty && posts.size === 1)
    }
  }

  test("Retry-After may be an HTTP date, measured from the server's own date") {
    val now = HttpSenderSuite.fixedClock.millis()
    for (
      after <- Seq(
        "Wed, 21 Oct 2015 07:28:20 GMT",
        "Wednesday, 21-Oct-15 07:28:20 GMT",
        "Wed Oct 21 07:28:20 2015",
        "20"
      )
    ) assert(RetryAfterHeader.millis(after, now) === Some(20000), after)
    // A time that has passed, and words, count as no header.
    for (none <- Seq("Wed, 21 Oct 2015 07:28:00 GMT", "tomorrow", "1.5", "", "-5"))
      assert(RetryAfterHeader.millis(none, now) === None, none)
    assert(
      RetryAfterHeader.date("Sun Nov  6 08:49:37 1994") === RetryAfterHeader.date(
        "Sun, 06 Nov 1994 08:49:37 GMT"
      )
    )
    // The server adds its Date.
    val later = ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(200)
    answers ++= Seq(503 -> Some(DateTimeFormatter.RFC_1123_DATE_TIME.format(later)), 200 -> None)
    send(rows = 1)
    assert(pauses.size === 1 && pauses.head > 100000 && pauses.head <= 200000)
  }

  test("failures that may pass are retried, and others are not") {
    // 409: an earlier attempt with the same key is still being processed.
    for (status <- Seq(408, 409, 425, 429, 500, 502, 503, 504)) {
      answers ++= Seq(status -> None, 200 -> None)
      send(rows = 1)
    }
    for (status <- Seq(301, 400, 401, 404, 422, 501)) {
      answers += status -> None
      assert(intercept[java.io.IOException](send(rows = 1)).getMessage === s"the response was $status")
    }
  }

  test("a response without a complete body ends at httpTimeout, and its connection is closed") {
    for (body <- SilentServer.bodies) {
      val silent = new SilentServer(body)
      try {
        val error = intercept[java.io.IOException](
          send(1, retries = 1, Map("httpTimeout" -> "300ms", "url" -> silent.url))
        )
        assert(error.getMessage === "no complete response arrived within 300ms")
        assert(pauses === Seq(1000))
        silent.awaitClosed(connections = 2)
      } finally silent.close()
      pauses.clear()
    }
  }

  test("a request that waits for its response ends when its task is stopped") {
    val silent = new SilentServer(SilentServer.bodies.head)
    try {
      // Stopped as soon as the request has arrived.
      val stop = new StopSignal {
        override def isStopped: Boolean = silent.hasRequest
      }
      intercept[InterruptedException](sendUntil(stop, rows = 1, retries = 1, Map("url" -> silent.url)))
      silent.awaitClosed(connections = 1)
    } finally silent.close()
  }

  test("the start of a long response is part of the error, and the rest is dropped") {
    val kept = new HttpTarget.FirstBytes
    val body = kept.subscriber
    body.onSubscribe(new java.util.concurrent.Flow.Subscription {
      override def request(n: Long): Unit = ()
      override def cancel(): Unit         = ()
    })
    for (_ <- 1 to 1000)
      body.onNext(java.util.List.of(java.nio.ByteBuffer.wrap(Array.fill(1000)('x'.toByte))))
    body.onComplete()
    assert(body.getBody.toCompletableFuture.get() === "x" * 800)
  }

  test("times have microseconds, and httpNullFields=write writes nulls") {
    val columns = new StructType()
      .add("at", TimestampType)
      .add("local", TimestampNTZType)
      .add("word", StringType)
    val row = InternalRow(1445412480123456L, 1445412480000007L, null)
    for ((nulls, rest) <- Seq("omit" -> "", "write" -> ",\"word\":null")) {
      posts.clear()
      val options = HttpOptions.parse(java.util.Map.of("url", url, "httpNullFields", nulls))
      new HttpTarget(options, columns, recorded, HttpSenderSuite.fixedClock).send(
        chunk,
        new ChunkRows {
          override def iterator: Iterator[InternalRow] = Iterator(row)
        }
      )
      assert(
        posts.map(_.body) === Seq(
          s"""{"at":"2015-10-21T07:28:00.123456Z","local":"2015-10-21T07:28:00.000007"$rest}\n"""
        )
      )
    }
  }

  test("rejects headers that the sink sets itself, in any case") {
    for (
      name <- Seq("Idempotency-Key", "idempotency-key", "Content-Type", "CONTENT-TYPE", "Content-Encoding",
        "Transfer-Encoding", "Host", "Connection", "Expect", "Upgrade", "Content-Length")
    ) {
      val error = intercept[IllegalArgumentException](
        HttpOptions.parse(java.util.Map.of("url", "http://host/x", s"httpHeader.$name", "hunter2"))
      )
      assert(error.getMessage.contains(s"httpHeader.$name cannot be set"), error.getMessage)
      assert(!error.getMessage.contains("hunter2"))
    }
    val same = HttpOptions.parse(
      java.util.Map.of("url", "http://host/x", "httpHeader.X-A", "a", "httpHeader.x-a", "a")
    )
    assert(same.headers.size === 1)
  }

  test("rejects a URL with a user, which would be dropped") {
    for (user <- Seq("hunter2", "u:hunter2", "")) {
      val error = intercept[IllegalArgumentException](
        HttpOptions.parse(java.util.Map.of("url", s"https://$user@host/x"))
      )
      assert(error.getMessage.contains("contains a user"), error.getMessage)
      assert(error.getMessage.contains("httpHeader.Authorization"))
      assert(!error.getMessage.contains("hunter2"))
    }
  }

  test("a chunk with an excessive Retry-After stays in the log for a later start") {
    spark
    val world = new ChunkWorld(Map("sender" -> "http", "url" -> url), schema)
    val chunk = world.prepared(rowsUpTo(1))
    answers += 503 -> Some("7200")
    val error = intercept[StoplogException](world.send(chunk))
    assert(error.getCondition === "STOPLOG_REQUEST_FAILED")
    assert(error.getMessage.contains("the server requests a pause of 2h"))
    assert(world.send(chunk) === CommitOutcome.Committed)
  }

  test("a process shares a single client for all chunks") {
    def selectors = Thread.getAllStackTraces.keySet.asScala.count { thread =>
      thread.getName.startsWith("HttpClient-") && thread.getName.endsWith("-SelectorManager")
    }
    send(rows = 1)
    val before = selectors
    for (_ <- 1 to 20) send(rows = 1)
    assert(selectors <= before)
  }

  test("a request without a response is repeated by a new client") {
    def client = HttpTarget.clients.of(HttpOptions.parse(java.util.Map.of("url", url)).timeoutMillis)(fail())
    send(rows = 1)
    val before = client
    send(rows = 1)
    assert(client eq before)
    server.stop(0)
    intercept[java.io.IOException](send(rows = 1, retries = 1))
    intercept[Exception](client)
  }

  test("rejects headers that cannot be sent before any request") {
    val error = intercept[IllegalArgumentException](
      HttpOptions.parse(
        java.util.Map.of(
          "url", "http://host/x", "httpHeader.Content-Length", "5", "httpHeader.X-Key", "secret\nX-Other: 1"
        )
      )
    )
    for ((name, how) <- Seq("Content-Length" -> "set", "X-Key" -> "sent"))
      assert(error.getMessage.contains(s"httpHeader.$name cannot be $how"))
    assert(!error.getMessage.contains("secret"))
  }

  test("retries of a busy server are limited, and client errors are not retried") {
    answers ++= Seq.fill(4)(503 -> None)
    assert(intercept[java.io.IOException](send(rows = 1)).getMessage === "the response was 503")
    answers += 400 -> None
    assert(intercept[java.io.IOException](send(rows = 1)).getMessage === "the response was 400")
  }

  test("a request that is too large is reported with the effect of httpBatchRows") {
    answers += 413 -> None
    val error = intercept[java.io.IOException](send(rows = 1))
    assert(error.getMessage.contains("a smaller httpBatchRows applies only to rows that are not in the log"))
    assert(error.getMessage.endsWith("(the response was 413)"))
    assert(pauses.isEmpty)
  }

  test("an error hides the credentials that a server repeats in its response") {
    spark
    server.createContext(
      "/refusing",
      exchange => {
        val header = exchange.getRequestHeaders
        val body = s"no key ${header.getFirst("X-Api")}, ${header.getFirst("Authorization").drop(7)}".getBytes
        exchange.sendResponseHeaders(401, body.length.toLong)
        exchange.getResponseBody.write(body)
        exchange.close()
      }
    )
    val secrets = Map("httpHeader.X-Api" -> "hunter2", "httpHeader.Authorization" -> "Bearer hunter3")
    val refused = Map("sender" -> "http", "url" -> url.replace("/rows", "/refusing")) ++ secrets
    val world   = new ChunkWorld(refused, schema)
    val error   = intercept[StoplogException](world.send(world.prepared(rowsUpTo(1))))
    val stack   = new java.io.StringWriter
    error.printStackTrace(new java.io.PrintWriter(stack))
    assert(error.getMessage.contains("the response was 401 no key …, …"), error.getMessage)
    assert(!stack.toString.contains("hunter"), stack)
  }

  test("the destination differs by hidden text of the URL, but not by secrets with a name") {
    def rowsTo(url: String) = new HttpSender().rowsTo(java.util.Map.of("url", url))
    val orders              = rowsTo("https://host/rows?stream=orders&token=hunter2")
    assert(orders === rowsTo("https://host/rows?token=hunter3&stream=orders"))
    val hook  = "https://host/services/T0001/"
    val other = Seq(
      "https://host/rows",
      "https://host/rows?stream=returns&token=hunter2",
      s"${hook}hunter2hunter2hunter2",
      s"${hook}hunter3hunter3hunter3"
    ).map(rowsTo)
    assert((orders +: other).distinct.size === 5, other)
    assert(!(orders +: other).mkString.contains("hunter"))
    assert(other.head === "https://host/rows")
    assert(rowsTo("https://host/rows?token=hunter2") === rowsTo("https://host/rows?token=hunter3"))
  }

  test("a server without a response is retried with the same key") {
    server.stop(0)
    val error = intercept[java.io.IOException](send(rows = 1))
    assert(error.getMessage.startsWith("there was no response"))
    assert(pauses === Seq(1000, 2000, 4000))
  }

  test("rejects an invalid URL") {
    val error =
      intercept[IllegalArgumentException](HttpOptions.parse(java.util.Map.of("url", "ftp://host/x")))
    assert(error.getMessage.contains("url = 'ftp://host/x' is not an http or https URL"))
  }
}

object HttpSenderSuite {

  /** Always at Wed, 21 Oct 2015 07:28:00 GMT. */
  val fixedClock: Clock = new Clock {
    override def millis(): Long        = 1445412480000L
    override def elapsedMillis(): Long = 0
  }
}

private final case class Post(key: String, header: String, body: String)
