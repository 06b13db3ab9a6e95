// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.net.URL
import java.nio.file.{
  AccessDeniedException, DirectoryNotEmptyException, FileAlreadyExistsException, FileSystemException,
  FileSystemLoopException, NoSuchFileException, NotDirectoryException, NotLinkException
}

import scala.jdk.CollectionConverters._

import org.apache.spark.ErrorClassesJsonReader

/** Creates the errors of a module from the name of a condition and the parameters of its template.
  * [[Redaction]] is applied to every text, including causes.
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

  // Templates end the sentence and the message adds its own SQLSTATE. Causes often contain a full stop and
  // another SQLSTATE.
  protected final def reason(why: String): String =
    String.valueOf(why).replaceAll("\\s*SQLSTATE: [0-9A-Z]{5}", "").trim.stripSuffix(".")

  /** Returns the parameter `ways` of a template: the ways out for a kind of sink. See [[WaysOut]].
    *
    * @param parameters of the text
    */
  protected final def ways(condition: String, kind: String, parameters: (String, Any)*): (String, Any) =
    "ways" -> WaysOut.text(condition, kind, texts(parameters))

  /** Returns the parameters of a template that lists problems. Each problem is a sentence. */
  protected final def listed(problems: Seq[String]): Seq[(String, Any)] =
    Seq("count" -> problems.size, "problems" -> problems.map("\n  - " + _).mkString)

  private def texts(parameters: Seq[(String, Any)]): Map[String, String] =
    parameters.map { case (name, value) => name -> Redaction.text(String.valueOf(value)) }.toMap
}

/** The error conditions of stoplog and its connectors, read from resources by Spark's own reader. */
private[stoplog] object Conditions {

  /** The file of the conditions, on the class path. */
  val Resource: String = "error/stoplog-error-conditions.json"

  /** The file with the conditions of a connector, with the same name in every jar. */
  val ConnectorResource: String = "error/stoplog-connector-error-conditions.json"

  private lazy val reader = new ErrorClassesJsonReader(resources(Resource, ConnectorResource))

  /** Returns the message of a condition with its parameters, in the format of Spark's own messages. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.getErrorMessage(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  def sqlState(condition: String): String = reader.getSqlState(condition)

  // Uses the loader of this class: the jar may be in a session's loader, invisible to the system's loader.
  def url: URL = getClass.getClassLoader.getResource(Resource)

  /** Returns the file of the core, and the files of all connectors. */
  def resources(core: String, connector: String): Seq[URL] =
    getClass.getClassLoader.getResource(core) +: connectors(connector)

  // A session's connector may be invisible to the loader of this class.
  private def connectors(name: String): Seq[URL] =
    Seq(getClass.getClassLoader, Thread.currentThread.getContextClassLoader)
      .filter(_ != null)
      .flatMap(_.getResources(name).asScala)
      .distinctBy(_.toString)
}

/** The causes of an exception. */
private[stoplog] object Causes {

  /** Returns the exception and its chain of causes. */
  def of(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  /** Returns the message of the innermost cause, as one line. */
  def reason(e: Throwable): String = {
    val last = of(e).last
    Option(text(last)).flatMap(_.linesIterator.nextOption()).getOrElse(last.toString)
  }

  /** Returns the first line of the exception's message. In stoplog's errors, the next line is advice. */
  def brief(e: Throwable): String = message(e).linesIterator.nextOption().getOrElse(e.toString)

  /** Returns the message of the exception itself. */
  def message(e: Throwable): String = Option(text(e)).getOrElse(e.toString)

  /** Returns the reason of a rejected call for a file, without the path. Many exceptions of `java.nio.file`
    * have only the path in their message: the reason is their class.
    */
  def fileReason(e: FileSystemException): String = Option(e.getReason).getOrElse(e match {
    case _: AccessDeniedException      => "permission denied"
    case _: NoSuchFileException        => "no such file or directory"
    case _: FileAlreadyExistsException => "the file exists"
    case _: DirectoryNotEmptyException => "the directory is not empty"
    case _: NotDirectoryException      => "it is not a directory"
    case _: NotLinkException           => "it is not a symbolic link"
    case _: FileSystemLoopException    => "the symbolic links form a loop"
    case other                         => other.getClass.getSimpleName
  })

  private def text(e: Throwable): String = e match {
    case file: FileSystemException if file.getReason == null =>
      s"${Option(file.getMessage).fold("")(_ + ": ")}${fileReason(file)}"
    case other => other.getMessage
  }
}
