// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.util.control.NonFatal

import org.apache.hadoop.fs.GlobPattern

import stoplog.error.Causes

/** A pattern for one name. Hadoop's own class matches names, as for Spark's readers. The time is linear in
  * the length of the name, because names and patterns come from outside.
  */
private[stoplog] final class NamePattern private (text: String) extends Serializable {
  @transient private lazy val pattern = new GlobPattern(text)

  def matches(name: String): Boolean = pattern.matches(name)
}

private[stoplog] object NamePattern {

  /** Returns the error in the pattern, or the pattern. */
  def parse(text: String): Either[String, NamePattern] =
    try {
      val made = new NamePattern(text)
      made.pattern // throws for an invalid pattern
      Right(made)
    } catch { case NonFatal(e) => Left(s"is not a pattern: ${Causes.brief(e)}") }
}
