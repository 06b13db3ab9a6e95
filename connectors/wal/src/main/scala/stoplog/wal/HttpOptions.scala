// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.URI
import java.net.http.HttpRequest
import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.options.{Opt, OptionErrors, OptionGroup, OptionReader, OptionType}

/** The settings of requests.
  *
  * @param headers user-defined headers, by name
  * @param json    the options of Spark's JSON writer
  */
private[wal] final case class HttpOptions(
    url: URI,
    batchRows: Int,
    retries: Int,
    timeoutMillis: Long,
    headers: Map[String, String],
    json: Map[String, String]
)

private[wal] object HttpOptions {

  case object Http extends OptionGroup("What `sender=http` posts")

  /** The responses of an overloaded server, a broken proxy, or a failure that may pass. A server responds 409
    * if the same key's former request is still being processed.
    */
  private[wal] val RetryStatus: Set[Int] = Set(408, 409, 425, 429, 500, 502, 503, 504)

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
    "The maximum number of repetitions of a request if the response was 408, 409, 425, 429, 500, 502, 503 " +
      "or 504, or no complete response arrived within `httpTimeout`. Then the query fails. Every other " +
      "response except 2xx fails the query at once."
  )

  val Timeout: Opt[Long] = Http.withDefault("httpTimeout", OptionType.span, 30000L, "2m")(
    "The maximum time of a request, from the connection to the last byte of the response. Then the request " +
      "is repeated."
  )

  val Nulls: Opt[NullFields] = Http.withDefault(
    "httpNullFields",
    OptionType.named(NullFields.all)(_.word),
    NullFields.Omit,
    "write"
  )("The fields of a row that are null. `omit`: the JSON object does not contain them. `write`: as `null`.")

  val all: Seq[Opt[_]] = Seq(Url, BatchRows, Retries, Timeout, Nulls)

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
    if (!reader.isSet(Url)) errors.add("url is not set: set it to the address that receives the rows.")
    val url     = reader.get(Url)
    val headers = reader.others
      .collect {
        case (key, value) if lower(key).startsWith(Header) => key.drop(Header.length) -> value
      }
      .distinctBy { case (name, _) => lower(name) }
    UserHeaders.problems(headers).foreach(errors.add(_))
    HttpOptions(
      url.getOrElse(URI.create("http://unset")),
      reader(BatchRows),
      reader(Retries),
      reader(Timeout),
      headers.toMap,
      json(reader(Nulls))
    )
  }

  private final val Header = "httpheader."

  private def uri(text: String): Either[String, URI] =
    Try(new URI(text)).toOption
      .filter(uri =>
        Set("http", "https").contains(lower(String.valueOf(uri.getScheme))) && uri.getHost != null
      )
      .toRight("is not an http or https URL")
      .filterOrElse(
        _.getRawUserInfo == null,
        "contains a user, which is not sent: remove it, and set httpHeader.Authorization"
      )

  // Other systems read the JSON lines, so the format does not depend on a session's settings. Spark's own
  // formats cut times to milliseconds.
  private def json(nulls: NullFields): Map[String, String] = Map(
    "lineSep"            -> "\n",
    "timestampFormat"    -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "ignoreNullFields"   -> (nulls == NullFields.Omit).toString
  )

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}

/** The treatment of null fields in JSON objects. */
private[wal] sealed abstract class NullFields(val word: String) extends Product with Serializable
private[wal] object NullFields {
  case object Omit  extends NullFields("omit")
  case object Write extends NullFields("write")

  val all: Seq[NullFields] = Seq(Omit, Write)
}

/** The headers that a user may add to requests. */
private[wal] object UserHeaders {

  /** Returns a sentence for each header that cannot be sent, without its value, which may be a secret. */
  def problems(headers: Seq[(String, String)]): Seq[String] = headers.flatMap { case (name, value) =>
    if (Owned(lower(name)))
      Some(s"httpHeader.$name cannot be set: the sink sets this header itself. Remove it.")
    else
      Try(HttpRequest.newBuilder().header(name, value)).failed.toOption
        .map(why => s"httpHeader.$name cannot be sent: ${reason(why)}.")
  }

  /** The headers on which the protocol rests: the identity of a request, the form of the body, and the
    * connection.
    */
  private val Owned: Set[String] = Set(
    "idempotency-key", "content-type", "content-encoding", "content-range", "content-length", "content-md5",
    "digest", "content-digest", "repr-digest", "transfer-encoding", "trailer", "te", "host", "connection",
    "keep-alive", "proxy-connection", "upgrade", "expect", "http2-settings"
  )

  private def reason(why: Throwable): String =
    if (String.valueOf(why.getMessage).startsWith("invalid header value"))
      "its value has characters that a header must not contain"
    else String.valueOf(why.getMessage)

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
