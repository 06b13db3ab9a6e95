// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.net.URL

import scala.jdk.CollectionConverters._

import org.apache.spark.ErrorClassesJsonReader

/** Makes the errors of a module, of the name of a condition and the parameters of its template. Every text, also of the
  * causes, goes through [[Redaction]].
  */
private[stoplog] abstract class ErrorMaker {

  protected final def argument(condition: String, parameters: (String, Any)*): StoplogArgumentException =
    new StoplogArgumentException(condition, texts(parameters))

  protected final def argument(
      condition: String,
      cause: Throwable,
      parameters: (String, Any)*
  ): StoplogArgumentException =
    new StoplogArgumentException(condition, texts(parameters), Option(Redaction.cause(cause)))

  protected final def failure(condition: String, parameters: (String, Any)*): StoplogException =
    new StoplogException(condition, texts(parameters))

  protected final def failure(
      condition: String,
      cause: Throwable,
      parameters: (String, Any)*
  ): StoplogException = new StoplogException(condition, texts(parameters), Option(Redaction.cause(cause)))

  // The templates end the sentence themselves, and the whole message ends with its own SQLSTATE; causes often come with
  // a full stop and an SQLSTATE of their own.
  protected final def reason(why: String): String =
    String.valueOf(why).replaceAll("\\s*SQLSTATE: [0-9A-Z]{5}", "").trim.stripSuffix(".")

  /** The parameters of a template that lists problems, each a sentence. */
  protected final def listed(problems: Seq[String]): Seq[(String, Any)] =
    Seq("count" -> problems.size, "problems" -> problems.map("\n  - " + _).mkString)

  private def texts(parameters: Seq[(String, Any)]): Map[String, String] =
    parameters.map { case (name, value) => name -> Redaction.text(String.valueOf(value)) }.toMap
}

/** The named conditions of stoplog and of its connectors, read from resources by Spark's own reader of such files. */
private[stoplog] object Conditions {

  /** The file of the conditions, on the class path. */
  val Resource: String = "error/stoplog-error-conditions.json"

  /** The file in which each connector has its own, by the same name in every jar. */
  val ConnectorResource: String = "error/stoplog-connector-error-conditions.json"

  private lazy val reader = new ErrorClassesJsonReader(url +: connectors)

  /** The sentence of a condition with its parameters filled in, in the shape of Spark's own messages. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.getErrorMessage(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  def sqlState(condition: String): String = reader.getSqlState(condition)

  // By this class's loader: the jar may be in a session's own loader, which the system's does not see.
  def url: URL = getClass.getClassLoader.getResource(Resource)

  // A connector that came with a session may be where this class's loader does not look.
  private def connectors: Seq[URL] =
    Seq(getClass.getClassLoader, Thread.currentThread.getContextClassLoader)
      .filter(_ != null)
      .flatMap(_.getResources(ConnectorResource).asScala)
      .distinctBy(_.toString)
}

/** The reasons that an exception gives for a failure. */
private[stoplog] object Causes {

  /** The exception, its cause, the cause of that, and so on. */
  def of(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  /** The message of the innermost, in one line. */
  def reason(e: Throwable): String = {
    val last = of(e).last
    Option(last.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(last.toString)
  }

  /** What the exception itself says has happened, in one line: those of stoplog say in the next one what to do. */
  def brief(e: Throwable): String = message(e).linesIterator.nextOption().getOrElse(e.toString)

  /** The message of the exception itself. */
  def message(e: Throwable): String = Option(e.getMessage).getOrElse(e.toString)
}
