// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.webhook

import java.net.URI
import java.util.{Map => JMap}

import scala.util.Try

import stoplog.announce.setting.{SecretName, Secrets, TargetSettings}
import stoplog.error.Redaction
import stoplog.options.{Opt, OptionGroup, OptionType}

/** The address of the receiver.
  *
  * @param read  returns the address, which a secret may contain. Throws `IllegalStateException`
  * @param shown the address for messages, without secrets
  */
private[webhook] final case class Address(read: Secrets => URI, shown: String)

/** @param secret        signs the requests
  * @param authorization the value of the header `Authorization`
  */
private[webhook] final case class WebhookSettings(
    address: Address,
    secret: Option[SecretName],
    authorization: Option[SecretName],
    timeoutMillis: Long
)

private[webhook] object WebhookSettings {
  case object Webhook extends OptionGroup("Webhook")

  val Url: Opt[URI] =
    Webhook.option("url", OptionType[URI]("URL", address(_), _.toString), "https://example.com/files")(
      "required, unless `urlFrom` is set",
      "The address of the receiver, with `http` or `https`."
    )

  val UrlFrom: Opt[SecretName] = Webhook.option("urlFrom", SecretName.values, "env:WEBHOOK_URL")(
    "`url`",
    "The name of a secret that contains the address, for an address with a token."
  )

  val Secret: Opt[SecretName] = Webhook.option("secret", SecretName.values, "env:WEBHOOK_SECRET")(
    "no signature",
    "The name of the secret that signs requests. A secret `whsec_…` is decoded from Base64."
  )

  val Authorization: Opt[SecretName] =
    Webhook.option("authorization", SecretName.values, "file:/run/secrets/token")(
      "no header",
      "The name of a secret with the value of the header `Authorization`, such as `Bearer …`."
    )

  val Timeout: Opt[Long] = Webhook.withDefault("timeout", OptionType.span, 10000L, "30s")(
    "The longest wait for a response."
  )

  val all: Seq[Opt[_]] = Seq(Url, UrlFrom, Secret, Authorization, Timeout)

  def parse(settings: JMap[String, String]): WebhookSettings = TargetSettings.read(settings, all) { reader =>
    (reader.isSet(Url), reader.isSet(UrlFrom)) match {
      case (true, true)   => reader.errors.add("url and urlFrom are both set: remove one of them.")
      case (false, false) => reader.errors.add("url is not set.")
      case _              => ()
    }
    WebhookSettings(
      reader.get(UrlFrom).map(ofSecret).getOrElse(ofUrl(reader.get(Url).getOrElse(Nowhere))),
      reader.get(Secret),
      reader.get(Authorization),
      reader(Timeout)
    )
  }

  private def ofUrl(url: URI): Address = Address(_ => url, Redaction.url(url.toString))

  private def ofSecret(name: SecretName): Address = Address(
    secrets =>
      address(name.read(secrets))
        .fold(why => throw new IllegalStateException(s"the URL in $name $why"), identity),
    s"the URL in $name"
  )

  private def address(text: String): Either[String, URI] =
    Try(new URI(text.trim)).toOption.filter(_.getHost != null) match {
      case Some(url) if !Set("http", "https").contains(String.valueOf(url.getScheme).toLowerCase) =>
        Left("does not begin with http:// or https://")
      case Some(url) if url.getRawUserInfo != null => Left("has a user; set authorization instead")
      case Some(url) if url.getRawFragment != null => Left("has a fragment, which is not sent")
      case Some(url)                               => Right(url)
      case None                                    => Left("is not a URL with a host")
    }

  private val Nowhere = URI.create("http://localhost")
}
