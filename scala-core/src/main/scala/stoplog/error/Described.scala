// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

/** Descriptions for plans, progress and messages, without secrets.
  *
  * Spark writes the plan of a failed query, with all descriptions, before Spark reports the failure. If a
  * description throws, the query ends without any error. So a description MUST NOT throw.
  */
private[stoplog] object Described {

  /** Returns a description in the form `name[details]`, which data catalogs parse. */
  def named(details: String): String = s"stoplog[$details]"

  /** Returns the text without secrets. If the text cannot be created, returns a substitute with the reason.
    *
    * @param what a short name of the described object
    */
  def as(what: String)(text: => String): String =
    try Redaction.text(text)
    catch {
      case e @ (NonFatal(_) | _: LinkageError | _: StackOverflowError) =>
        val why = e match {
          case known: SparkThrowable => Option(known.getCondition).getOrElse(e.getClass.getName)
          case _                     => e.getClass.getName
        }
        s"$what (its description failed: $why)"
    }
}
