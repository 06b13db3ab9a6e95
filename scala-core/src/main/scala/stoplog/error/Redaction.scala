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

/** Hides secrets in everything that leaves the process: errors and their causes, descriptions, records, and
  * options as text. Nothing else decides what a secret is. `python/stoplog/_redaction.py` has the same rules; the examples
  * of `redaction.json`, among the tests, hold the two equal.
  */
private[stoplog] object Redaction {

  final val Hidden = "…"

  /** Whether an option's value is a secret, by its name. */
  def isSecret(key: String): Boolean = SecretOption.findFirstIn(key).isDefined

  /** An option's value for people to read. */
  def value(key: String, value: String): String = if (isSecret(key)) Hidden else text(value)

  /** Options for people to read. */
  def options(name: String, all: Iterable[(String, String)]): String = all.toSeq.sorted
    .map { case (key, asked) => s"$key=${value(key, asked)}" }
    .mkString(s"$name(", ", ", ")")

  /** Hides what looks like a secret in a text, whose author may know secrets that are not known here. */
  def text(said: String): String =
    Address.replaceAllIn(
      Rules.foldLeft(said)((left, rule) => rule.replaceAllIn(left, "$1" + Hidden)),
      found => Matcher.quoteReplacement(withoutTokens(found.matched))
    )

  /** A value that was to be a URL, and may be anything: without user, query and properties. */
  def url(asked: String): String = {
    val place = asked.takeWhile(c => c != '?' && c != ';')
    val user  = place.lastIndexOf('@')
    val names = place.indexOf("//") + 2
    val open  =
      if (user < 0) place
      else (if (names < 2 || names > user) "" else place.take(names)) + Hidden + place.drop(user)
    withoutTokens(text(open))
  }

  /** The exception, or one like it if it or a cause of it says something that is secret. */
  def cause(e: Throwable): Throwable = RedactedCause.of(e, text)

  /** Of the options of one write. */
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

  /** Stands for a secret where two values are compared, in a record: slow to compute, and so to guess from. */
  def fingerprint(key: String, value: String): String = fingerprint(key, value, Iterations)

  private[error] def fingerprint(key: String, value: String, iterations: Int): String = {
    val spec = new PBEKeySpec(value.toCharArray, s"stoplog $key".getBytes(UTF_8), iterations, FingerprintBits)
    val hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded
    hash.map(byte => f"${byte & 0xff}%02x").mkString
  }

  private final val Iterations      = 100000
  private final val FingerprintBits = 64

  private val Names =
    "secret|passw|pwd|passphrase|token|credential|access.?key|api.?key|private.?key|signature|jaas|" +
      "keystore[.]key|encryption[.]key[.]list"

  private val SecretOption = s"(?i)$Names|authorization|cookie|^httpheader[.]".r

  // Bounded, since a text may be as long as a file.
  private val Name = s"[\\w.-]{0,64}(?:$Names)[\\w.-]{0,64}"

  /** Each finds something to keep, its first group, and behind it what is secret. */
  private val Rules: Seq[Regex] = Seq(
    "(?i)(\"" + Name + "\"\\s*:\\s*\")[^\"]*",
    "(?i)(\\b" + Name + "\\s*(?:=|->)\\s*)(?:\"[^\"]*\"|'[^']*'|[^\\s&;,)}\\]'\"]+)",
    "(?i)(\\b(?:authorization|cookie)\\s*[:=]\\s*)[^\\r\\n,;]+",
    "(?i)(\\bbearer\\s+)[\\w.~+/=-]{8,}",
    "(?i)(\\bhttps?://)[^\\s/?#'\"]*(?=@)",
    // A number and a slash are a port: the at sign is in a path then.
    "(//[^\\s/:@'\"]*:)(?!\\d{1,5}(?:[/?#]|$))(?:(?!://)[^\\s'\"])*(?=@)",
    "(?i)(\\bhttps?://[^\\s?'\"<>]*\\?)[^\\s'\"<>]+"
  ).map(_.r)

  private val Address = "(?i)\\bhttps?://[^\\s?'\"<>]*".r

  /** A long and mixed name in the path: so those are that give access to a webhook. */
  private val Token = "(?i)/(?=[\\w@-]*\\d)(?=[\\w@-]*[a-z])[\\w@-]{16,}(?=[/#,;)]|[.]?$)".r

  /** The name or password before a server's name that no rule finds: `jdbc:oracle:thin:shop/hunter2@db`. */
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
      .toSeq

  /** A short one only where it is a word: it may be in many. */
  private def literal(secret: String): Regex =
    if (secret.length >= 4) Pattern.quote(secret).r else s"(?<!\\w)${Pattern.quote(secret)}(?!\\w)".r
}

/** Knows the secrets among some options as well, and hides them wherever they turn up: drivers repeat pieces of what they
  * could not read.
  */
private[stoplog] final class Redaction private (known: Seq[Regex]) {

  def text(said: String): String =
    Redaction.text(known.foldLeft(said)((left, secret) => secret.replaceAllIn(left, Redaction.Hidden)))

  def cause(e: Throwable): Throwable = RedactedCause.of(e, text)
}

/** Stands for an exception whose message has a secret in it: Spark prints causes whole. */
private[error] final class RedactedCause private (original: String, message: String, cause: Throwable)
    extends RuntimeException(message, cause) {
  override def toString: String = if (message == null) original else s"$original: $message"
}

private[error] object RedactedCause {

  /** The exception itself, unless it or what is behind it says something that the redaction hides. */
  def of(e: Throwable, text: String => String): Throwable = of(e, text, Deepest)

  private def of(e: Throwable, text: String => String, depth: Int): Throwable =
    if (e == null || depth == 0) null
    else {
      val before  = behind(e)
      val after   = before.map(of(_, text, depth - 1))
      val beside  = e.getSuppressed.toSeq
      val open    = beside.map(of(_, text, depth - 1))
      val message = Option(e.getMessage).map(text)
      val isSame  = (before ++ beside).zip(after ++ open).forall { case (was, is) => was eq is }
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

  /** An exception of the same kind where callers ask for it: kind and state say whether another try may help. */
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
