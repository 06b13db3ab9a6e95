package stoplog.store.s3

import java.net.{InetAddress, InetSocketAddress, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}

import stoplog.thread.Daemons

/** Stands between a client and the server: counts requests, and lets them fail. */
final class S3Proxy(server: String) extends AutoCloseable {
  import S3Proxy._

  /** What to do to a request instead of passing it on. */
  @volatile var fault: Request => Option[Fault] = _ => None

  private val seen   = new ConcurrentLinkedQueue[Request]
  private val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
  private val pool   = Executors.newCachedThreadPool(Daemons.named("s3-proxy"))
  private val front  = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
  front.setExecutor(pool)
  front.createContext("/", exchange => serve(exchange))
  front.start()

  val endpoint: String = s"http://127.0.0.1:${front.getAddress.getPort}"

  /** Everything that was asked since the last time. */
  def taken(): Vector[Request] =
    Iterator.continually(seen.poll()).takeWhile(_ != null).toVector

  override def close(): Unit = {
    front.stop(0)
    pool.shutdownNow()
    ()
  }

  private def serve(exchange: HttpExchange): Unit = {
    val headers = exchange.getRequestHeaders.asScala.map { case (name, values) =>
      name.toLowerCase -> values.get(0)
    }
    val request = Request(exchange.getRequestMethod, exchange.getRequestURI.toString, headers.toMap)
    val body    = exchange.getRequestBody.readAllBytes()
    seen.add(request)
    try
      fault(request) match {
        case None                  => answer(exchange, passOn(exchange, body))
        case Some(Fault.Lost)      => passOn(exchange, body)
        case Some(Fault.Reset)     => ()
        case Some(Fault.Status(n)) => exchange.sendResponseHeaders(n, -1)
      }
    finally exchange.close() // without an answer the client sees its connection broken
  }

  private def passOn(exchange: HttpExchange, body: Array[Byte]): HttpResponse[Array[Byte]] = {
    val request = HttpRequest
      .newBuilder(URI.create(server + exchange.getRequestURI.toString))
      .method(exchange.getRequestMethod, HttpRequest.BodyPublishers.ofByteArray(body))
    for {
      (name, values) <- exchange.getRequestHeaders.asScala if !OfTheConnection(name.toLowerCase)
      value          <- values.asScala
    } request.header(name, value)
    client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
  }

  private def answer(exchange: HttpExchange, response: HttpResponse[Array[Byte]]): Unit = {
    val isHead = exchange.getRequestMethod == "HEAD"
    for {
      (name, values) <- response.headers().map().asScala
      if isHead && name.equalsIgnoreCase("content-length") || !OfTheConnection(name.toLowerCase)
    } exchange.getResponseHeaders.put(name, values)
    val body = response.body()
    exchange.sendResponseHeaders(
      response.statusCode(),
      if (isHead || body.isEmpty) -1L else body.length.toLong
    )
    if (!isHead && body.nonEmpty) exchange.getResponseBody.write(body)
  }

  private val OfTheConnection =
    Set("host", "content-length", "connection", "expect", "transfer-encoding", "upgrade", "http2-settings")
}

object S3Proxy {

  /** @param uri     path and query
    * @param headers by their names in lower case
    */
  final case class Request(method: String, uri: String, headers: Map[String, String]) {

    /** As Amazon calls it. */
    def operation: String = (method, uri.split('?').drop(1).headOption.getOrElse("")) match {
      case ("PUT", query) if query.contains("partNumber=")  => "UploadPart"
      case ("PUT", _)                                       => "PutObject"
      case ("POST", query) if query.startsWith("uploads")   => "CreateMultipartUpload"
      case ("POST", query) if query.contains("uploadId=")   => "CompleteMultipartUpload"
      case ("POST", query) if query.startsWith("delete")    => "DeleteObjects"
      case ("DELETE", query) if query.contains("uploadId=") => "AbortMultipartUpload"
      case ("DELETE", _)                                    => "DeleteObject"
      case ("GET", query) if query.contains("list-type=")   => "ListObjectsV2"
      case ("GET", _)                                       => "GetObject"
      case ("HEAD", _)                                      => "HeadObject"
      case _                                                => s"$method $uri"
    }
  }

  sealed trait Fault
  object Fault {

    /** The server answers with this. */
    final case class Status(code: Int) extends Fault

    /** The connection breaks before the request reaches the server. */
    case object Reset extends Fault

    /** The server does what it was asked to, and its answer is lost. */
    case object Lost extends Fault
  }
}
