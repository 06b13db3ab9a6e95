// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.IOException
import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.sql.{SQLException, SQLTransientException}
import java.util.regex.{Matcher, Pattern}
import javax.crypto.SecretKeyFactory
import javax.crypto.spec.PBEKeySpec

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.matching.Regex

/** Hides secrets in all text that leaves the process: errors and their causes, descriptions, records, and
  * options. This is the only definition of secrets. `python/stoplog/_text/redaction.py` implements the same
  * rules, and tests compare both with the examples of `redaction.json`.
  */
private[stoplog] object Redaction {

  final val Hidden = "…"

  /** Returns whether an option's value is a secret, based on its name. */
  def isSecret(key: String): Boolean = SecretOption.findFirstIn(key).isDefined

  /** Returns an option's value for display. */
  def value(key: String, value: String): String = if (isSecret(key)) Hidden else text(value)

  /** Returns options for display. */
  def options(name: String, all: Iterable[(String, String)]): String = all.toSeq.sorted
    .map { case (key, content) => s"$key=${value(key, content)}" }
    .mkString(s"$name(", ", ", ")")

  /** Hides apparent secrets in a message that stoplog did not create. */
  def text(message: String): String =
    Address.replaceAllIn(
      Rules.foldLeft(message)((left, rule) => rule.replaceAllIn(left, "$1" + Hidden)),
      found => Matcher.quoteReplacement(withoutTokens(found.matched))
    )

  /** Returns a URL, or malformed URL, without user, query and properties. */
  def url(address: String): String = {
    val place = address.takeWhile(c => c != '?' && c != ';')
    val user  = place.lastIndexOf('@')
    val names = place.indexOf("//") + 2
    val open  =
      if (user < 0) place
      else (if (names < 2 || names > user) "" else place.take(names)) + Hidden + place.drop(user)
    withoutTokens(text(open))
  }

  /** Returns the exception, or a redacted copy if the exception or any cause contains a secret. */
  def cause(e: Throwable): Throwable = RedactedCause.of(e, text)

  /** Returns a redaction for the options of one write. */
  def of(options: Iterable[(String, String)]): Redaction = {
    val secrets = options.flatMap {
      case (key, value) if isSecret(key) => Seq(value)
      case (_, value) => Rules.flatMap(hiddenBy(_, value)) ++ BeforeUser.findAllMatchIn(value).map(_.group(1))
    }
    val decoded = secrets.flatMap(secret => Try(URLDecoder.decode(secret, UTF_8)).toOption)
    new Redaction(
      (secrets ++ decoded).toSeq.map(_.trim).filter(_.nonEmpty).distinct.sortBy(-_.length).map(literal)
    )
  }

  /** Returns a substitute for comparing a secret in a record, slow to compute and therefore to guess. */
  def fingerprint(key: String, value: String): String = fingerprint(key, value, Iterations)

  private[error] def fingerprint(key: String, value: String, iterations: Int): String = {
    val spec = new PBEKeySpec(value.toCharArray, s"stoplog $key".getBytes(UTF_8), iterations, FingerprintBits)
    val hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded
    hash.map(byte => f"${byte & 0xff}%02x").mkString
  }

  private final val Iterations      = 100000
  private final val FingerprintBits = 64

  private val Names =
    "secret|passw|pwd|passphrase|token|credential|access.?key|account.?key|api.?key|private.?key|signature|jaas|" +
      "keystore[.]key|encryption[.]key[.]list|auth[.]user[.]info"

  private val SecretOption = s"(?i)$Names|authorization|cookie|^httpheader[.]".r

  // Bounded, because a text may be as long as a file.
  private val Name = s"[\\w.-]{0,64}(?:$Names)[\\w.-]{0,64}"

  // A backslash escapes a quote in JSON. A second brace escapes a brace. Possessive quantifiers need no stack
  // for long values.
  private val InDouble = "(?:\\\\[\\s\\S]|[^\"\\\\])*+"
  private val InSingle = "(?:\\\\[\\s\\S]|[^'\\\\])*+"
  private val Braces   = "\\{[^}\\r\\n]*(?:\\}\\}[^}\\r\\n]*){0,100}\\}"

  // Elsewhere, a value may also end with a backslash. Then the next quote starts the value of another name.
  private val DoubleQuoted =
    "\"(?:[^\"\\\\]|\\\\(?!\")|\\\\\"(?![^\"]*(?:=|->)\\s*\"|[^\"]*\\z))*+\\\\?\""

  private val SingleQuoted =
    "'(?:[^'\\\\]|\\\\(?!')|\\\\'(?![^']*(?:=|->)\\s*'|[^']*\\z))*+\\\\?'"

  /** The last word of the name of a secret. */
  private val Ends =
    "secret|password|passwd|pwd|passphrase|token|credentials?|access.?key|account.?key|api.?key|private.?key|" +
      "signature|keystore[.]key|encryption[.]key[.]list|auth[.]user[.]info"

  // A comma before the next name ends a plain value.
  private val Plain =
    "[^\\s&;,)}\\]'\"]+(?:,(?![\\w.-]{1,64}\\s*(?:=|->))[^\\s&;,)}\\]'\"]+)*+"

  /** Each rule matches a prefix to keep, its first group, followed by a secret. */
  private val Rules: Seq[Regex] = Seq(
    "(?i)(\"" + Name + "\"\\s*:\\s*\")" + InDouble,
    "(?i)('" + Name + "'\\s*:\\s*')" + InSingle,
    // JSON in a string of JSON.
    "(?i)(\\\\\"" + Name + "\\\\\"\\s*:\\s*\\\\\")" +
      "(?:[^\"\\\\]|\\\\\\\\(?:\\\\[\\s\\S]|[^\"\\\\]))*+",
    "(?i)(\\b" + Name + "\\s*(?:=|->)\\s*)(?:" + DoubleQuoted + "|" + SingleQuoted + "|" + Braces + "|" + Plain + ")",
    // More words are a sentence about the option.
    "(?i)((?<![/\\w.-])[\\w-]{1,64}[.](?:[\\w-]{1,64}[.]){0,8}[\\w-]{0,64}(?:" + Ends + "):[ \\t]+)" +
      "(?:" + DoubleQuoted + "|" + SingleQuoted + "|[^\\s;)}\\]'\"]+)(?=[ \\t]*(?:[\\r\\n,;)}\\]]|\\z))",
    "(?i)(\\b(?:authorization|cookie|x-[\\w-]{0,64}(?:key|token|secret))\\s*[:=]\\s*)[^\\r\\n,;]+",
    "(?i)(\\bbearer\\s+)[\\w.~+/=-]{8,}",
    // A JSON web token.
    "((?<![\\w-]))eyJ[\\w-]+[.]eyJ[\\w-]+(?:[.][\\w-]+)?",
    "(?i)(\\bsig=)[^\\s&;'\"]+",
    "(?i)(\\bjdbc:oracle:\\w+:[^\\s/@:]+/)[^\\s@]+(?=@)",
    "(?i)(\\bhttps?://)[^\\s/?#'\"]*(?=@)",
    // A number and a slash are a port. The at sign then belongs to a path.
    "(//[^\\s/:@'\"]*:)(?!\\d{1,5}(?:[/?#]|$))(?:(?!://)[^\\s'\"])*(?=@)",
    "(?i)(\\bhttps?://[^\\s?'\"<>]*\\?)[^\\s'\"<>]+"
  ).map(_.r)

  private val Address = "(?i)\\bhttps?://[^\\s?'\"<>]*".r

  /** A long path segment with letters and digits, as in webhook URLs with access tokens. A name and a colon
    * may precede the token. The server is not a part of the path.
    */
  private val Token = ("(?i)(?<![:@]/)/(?:[\\w@-]{0,64}:)?" +
    "(?=[\\w@-]*\\d)(?=[\\w@-]*[a-z])[\\w@-]{16,}(?=[/#,;)]|[.:]?$)").r

  /** A name or password before a server's name, missed by the rules: `jdbc:oracle:thin:shop/hunter2@db`. */
  private val BeforeUser = "[:/]([^\\s:/@]+)@".r

  private def withoutTokens(url: String): String = Token.replaceAllIn(url, "/" + Hidden)

  private def hiddenBy(rule: Regex, value: String): Seq[String] =
    rule
      .findAllMatchIn(value)
      .map(found => found.matched.drop(found.group(1).length))
      .flatMap { secret =>
        secret +: secret.split(':').toSeq.drop(1)
      }
      .map(_.stripPrefix("\"").stripPrefix("'").stripSuffix("\"").stripSuffix("'"))
      .map(_.stripPrefix("{").stripSuffix("}"))
      .toSeq

  /** Matches a short secret only as a whole word, because other words may contain the same letters. */
  private def literal(secret: String): Regex =
    if (secret.length >= 4) Pattern.quote(secret).r else s"(?<!\\w)${Pattern.quote(secret)}(?!\\w)".r
}

/** A redaction that also knows the secrets among given options, and hides every occurrence. Drivers repeat
  * parts of unreadable values.
  */
private[stoplog] final class Redaction private (known: Seq[Regex]) {

  def text(message: String): String =
    Redaction.text(known.foldLeft(message)((left, secret) => secret.replaceAllIn(left, Redaction.Hidden)))

  def cause(e: Throwable): Throwable = RedactedCause.of(e, text)
}

/** Replaces an exception whose message contains a secret, because Spark prints causes completely. */
private[error] final class RedactedCause private (original: String, message: String, cause: Throwable)
    extends RuntimeException(message, cause) {
  override def toString: String = if (message == null) original else s"$original: $message"
}

private[error] object RedactedCause {

  /** Returns the exception, unless its message or a nested exception contains text to hide. */
  def of(e: Throwable, text: String => String): Throwable = of(e, text, Deepest)

  private def of(e: Throwable, text: String => String, depth: Int): Throwable =
    if (e == null || depth == 0) null
    else {
      val before     = behind(e)
      val after      = before.map(of(_, text, depth - 1))
      val suppressed = e.getSuppressed.toSeq
      val open       = suppressed.map(of(_, text, depth - 1))
      val message    = Option(e.getMessage).map(text)
      val isSame     = (before ++ suppressed).zip(after ++ open).forall { case (was, is) => was eq is }
      if (message == Option(e.getMessage) && isSame) e
      else {
        val cause = before.zip(after).collectFirst { case (was, is) if was eq e.getCause => is }.orNull
        val made  = like(e, message.orNull, cause, text)
        made.setStackTrace(e.getStackTrace)
        open.filter(_ != null).foreach(made.addSuppressed)
        e match {
          case sql: SQLException =>
            val next = before.zip(after).collectFirst {
              case (was, is: SQLException) if was eq sql.getNextException => is
            }
            next.foreach(made.asInstanceOf[SQLException].setNextException)
          case _ => ()
        }
        made
      }
    }

  private def behind(e: Throwable): Seq[Throwable] = e match {
    case sql: SQLException => Seq(sql.getCause, sql.getNextException).filter(_ != null)
    case other             => Option(other.getCause).toSeq
  }

  /** Returns an exception of the same kind if callers need the kind and state to decide about retries. */
  private def like(e: Throwable, message: String, cause: Throwable, text: String => String): Throwable = {
    def parameters(all: java.util.Map[String, String]) = all.asScala.toMap.map { case (name, value) =>
      name -> text(value)
    }
    e match {
      case own: StoplogException =>
        new StoplogException(own.getCondition, parameters(own.getMessageParameters), Option(cause))
      case own: StoplogArgumentException =>
        new StoplogArgumentException(own.getCondition, parameters(own.getMessageParameters), Option(cause))
      case sql: SQLTransientException =>
        new SQLTransientException(message, sql.getSQLState, sql.getErrorCode, cause)
      case sql: SQLException => new SQLException(message, sql.getSQLState, sql.getErrorCode, cause)
      case _: IOException    => new IOException(message, cause)
      case other             => new RedactedCause(other.getClass.getName, message, cause)
    }
  }

  private final val Deepest = 100
}
