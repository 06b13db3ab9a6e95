// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.InputStream

import scala.util.Using
import scala.util.matching.Regex

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The ways out of a condition for one kind of sink. The jar of the sink contains the texts of its kind.
  *
  * {{{
  * {"STOPLOG_EPOCH_GAP": {"ways": {"stoplog-jdbc": "Or set sinkId …"}}}
  * }}}
  */
private[stoplog] object WaysOut {

  /** The file of the core, on the class path. */
  val Resource: String = "error/stoplog-error-guide.json"

  /** The file of a connector, with the same name in every jar. */
  val ConnectorResource: String = "error/stoplog-connector-error-guide.json"

  private val parameter = "<([a-zA-Z]+)>".r

  private lazy val guides: Seq[JsonNode] =
    Conditions.resources(Resource, ConnectorResource).map { url =>
      Using.resource(url.openStream())(new ObjectMapper().readTree(_: InputStream))
    }

  /** Returns the text with its parameters, such as `<path>`.
    *
    * @param kind as in the file: the name of an artifact
    */
  def text(condition: String, kind: String, parameters: Map[String, String]): String = {
    val found = guides.map(_.path(condition).path("ways").path(kind)).find(_.isTextual)
    val text  = found.getOrElse(throw new NoSuchElementException(s"no ways out of $condition for $kind"))
    parameter.replaceAllIn(text.asText, name => Regex.quoteReplacement(parameters(name.group(1))))
  }
}
