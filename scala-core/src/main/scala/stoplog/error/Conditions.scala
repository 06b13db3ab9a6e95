// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.net.URL

import scala.jdk.CollectionConverters._

import org.apache.spark.ErrorClassesJsonReader

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

  /** The message with its `<parameters>` still in it. */
  def template(condition: String): String = reader.getMessageTemplate(condition)

  // By this class's loader: the jar may be in a session's own loader, which the system's does not see.
  def url: URL = getClass.getClassLoader.getResource(Resource)

  // A connector that came with a session may be where this class's loader does not look.
  private def connectors: Seq[URL] =
    Seq(getClass.getClassLoader, Thread.currentThread.getContextClassLoader)
      .filter(_ != null)
      .flatMap(_.getResources(ConnectorResource).asScala)
      .distinctBy(_.toString)
}
