// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.format.SparkSessionForTests
import stoplog.sink.CommitOutcome

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

  private def send(rows: Int, retries: Int = 3): Unit = {
    val options = HttpOptions.parse(
      java.util.Map.of(
        "url",
        url,
        "httpBatchRows",
        "2",
        "httpRetries",
        retries.toString,
        "httpHeader.X-Team",
        "blue"
      )
    )
    val target = new HttpTarget(options, schema, millis => pauses.append(millis))
    target.send(
      chunk,
      new ChunkRows {
        override def iterator: Iterator[InternalRow] = rowsUpTo(rows).iterator
      }
    )
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

  test("a key identifies the same rows when httpBatchRows changes between attempts") {
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
      assert(error.getMessage.contains(s"asks to be left alone for"), error.getMessage)
      assert(error.getMessage.contains(told), error.getMessage)
      assert(pauses.isEmpty && posts.size === 1)
    }
  }

  test("a chunk with an excessive Retry-After stays in the log for a later start") {
    spark
    val world = new ChunkWorld(Map("sender" -> "http", "url" -> url), schema)
    val chunk = world.prepared(rowsUpTo(1))
    answers += 503 -> Some("7200")
    val error = intercept[StoplogException](world.send(chunk))
    assert(error.getCondition === "STOPLOG_WAL_NOT_SENT")
    assert(error.getMessage.contains("the server asks to be left alone for 2h"))
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
    for (name <- Seq("Content-Length", "X-Key"))
      assert(error.getMessage.contains(s"httpHeader.$name cannot be sent"))
    assert(!error.getMessage.contains("secret"))
  }

  test("retries of a busy server are limited, and client errors are not retried") {
    answers ++= Seq.fill(4)(503 -> None)
    assert(intercept[java.io.IOException](send(rows = 1)).getMessage === "the answer was 503")
    answers += 400 -> None
    assert(intercept[java.io.IOException](send(rows = 1)).getMessage === "the answer was 400")
  }

  test("a server without a response is retried with the same key") {
    server.stop(0)
    val error = intercept[java.io.IOException](send(rows = 1))
    assert(error.getMessage.startsWith("there was no answer"))
    assert(pauses === Seq(1000, 2000, 4000))
  }

  test("rejects an invalid URL") {
    val error =
      intercept[IllegalArgumentException](HttpOptions.parse(java.util.Map.of("url", "ftp://host/x")))
    assert(error.getMessage.contains("url = 'ftp://host/x' is no URL of http or https"))
  }
}

private final case class Post(key: String, header: String, body: String)
