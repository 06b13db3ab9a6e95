// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.URI
import java.net.http.HttpRequest
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.options.{Opt, OptionErrors, OptionGroup, OptionReader, OptionType}

/** How rows are posted.
  *
  * @param headers of the user, by their names
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
    "Where rows are posted, as JSON lines."
  )

  val BatchRows: Opt[Int] = Http.withDefault("httpBatchRows", OptionType.count, 500, "1000")(
    "How many rows a request has at most."
  )

  val Retries: Opt[Int] = Http.withDefault("httpRetries", OptionType.count, 5, "10")(
    "How often a request is repeated that the server was too busy for (429, 503) or did not answer, before the query fails."
  )

  val Timeout: Opt[Long] = Http.withDefault("httpTimeout", OptionType.span, 30000L, "2m")(
    "How long an answer is waited for."
  )

  val all: Seq[Opt[_]] = Seq(Url, BatchRows, Retries, Timeout)

  /** Headers of the user are options `httpHeader.<name>`. Error: `STOPLOG_INVALID_OPTIONS`. */
  def parse(options: JMap[String, String]): HttpOptions = {
    val errors = new OptionErrors
    val read   = HttpOptions.read(options.asScala.toSeq, errors)
    errors.throwIfAny()
    read
  }

  /** The same, as far as it goes. */
  def read(options: Seq[(String, String)], errors: OptionErrors): HttpOptions = {
    val asked = new OptionReader(options, all, errors)
    if (!asked.isSet(Url)) errors.add("url is not set: set it to where the rows are posted.")
    val url     = asked.get(Url)
    val headers = asked.others.collect {
      case (key, value) if key.toLowerCase.startsWith(Header) => key.drop(Header.length) -> value
    }.toMap
    for {
      (name, value) <- headers
      why           <- Try(HttpRequest.newBuilder().header(name, value)).failed.toOption
    } errors.add(s"httpHeader.$name cannot be sent: ${reason(why)}.")
    HttpOptions(
      url.getOrElse(URI.create("http://unset")),
      asked(BatchRows),
      asked(Retries),
      asked(Timeout),
      headers
    )
  }

  private final val Header = "httpheader."

  private def uri(text: String): Either[String, URI] =
    Try(new URI(text)).toOption
      .filter(uri => Set("http", "https").contains(uri.getScheme) && uri.getHost != null)
      .toRight("is no URL of http or https")

  // Without the value, which may be a secret.
  private def reason(why: Throwable): String =
    if (String.valueOf(why.getMessage).startsWith("invalid header value"))
      "its value has signs that a header may not have"
    else String.valueOf(why.getMessage)
}
