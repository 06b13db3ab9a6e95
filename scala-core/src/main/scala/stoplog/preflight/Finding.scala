// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import scala.util.Try

import org.apache.spark.SparkThrowable

/** The result of a preflight for one thing. */
sealed abstract class Finding(val level: String) extends Product with Serializable {

  /** The thing, in one word that stays the same: `options`, `format`, `buckets`, `storage` … */
  def name: String

  /** The description of the finding, in full sentences. */
  def what: String

  /** The next step for the user; empty if there is none. */
  def now: String
}

object Finding {

  /** As it should be. */
  final case class Ok(name: String, what: String) extends Finding("ok") {
    override def now: String = ""
  }

  /** The query would start, and the user should know this. */
  final case class Warning(name: String, what: String, now: String) extends Finding("warning")

  /** The query would be refused, or fail. */
  final case class Problem(name: String, what: String, now: String) extends Finding("problem")

  /** The refusal of a start as a problem; an error that is not stoplog's or Spark's own refusal is thrown on. */
  def refusal(name: String, error: Throwable): Problem = error match {
    case named: SparkThrowable =>
      val sentences = error.getMessage.stripPrefix(s"[${named.getCondition}] ")
      val text      = sentences.replaceFirst(" SQLSTATE: \\w+(?s:.*)$", "")
      // The last line of each of stoplog's messages is what to do.
      val (what, now) = text.splitAt(text.lastIndexOf('\n').max(0))
      if (what.isEmpty) Problem(name, s"$now (${named.getCondition})", "Correct the option or the query.")
      else Problem(name, s"$what (${named.getCondition})", now.trim)
    case other => throw other
  }

  /** A look at something, and what it gives if nothing is wrong. */
  def tried[A](name: String)(look: => A): Either[Problem, A] =
    Try(look).toEither.left.map(refusal(name, _))
}
