package stoplog.error

import java.net.URL

import org.apache.spark.ErrorClassesJsonReader

/** The named conditions of stoplog, read from the resource by Spark's own reader of such files. */
private[stoplog] object Conditions {

  /** Where the conditions are written down, on the class path. */
  val Resource: String = "error/stoplog-error-conditions.json"

  private lazy val reader = new ErrorClassesJsonReader(Seq(url))

  /** The sentence of a condition with its parameters filled in, in the shape of Spark's own messages. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.getErrorMessage(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  def sqlState(condition: String): String = reader.getSqlState(condition)

  /** The message with its `<parameters>` still in it. */
  def template(condition: String): String = reader.getMessageTemplate(condition)

  // By this class's loader: the jar may be in a session's own loader, which the system's does not see.
  def url: URL = getClass.getClassLoader.getResource(Resource)
}
