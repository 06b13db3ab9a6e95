// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration

import stoplog.error.Errors
import stoplog.options.SinkOptions

import stoplog.storage.Truncation

/** The request to [[Main]].
  *
  * @param command   one of the methods of [[SinkAdmin]]: finalize, clean, adopt, fork, reset, rewind, relocate
  * @param carryOut  else the plan is all
  */
private[admin] final case class Request(
    command: String,
    path: String,
    sinkId: String,
    carryOut: Option[WhenAlive],
    configuration: Configuration,
    truncation: Truncation,
    fields: Map[String, String]
) {

  /** Error: `STOPLOG_INVALID_OPTIONS`. */
  def plan(): AdminPlan = {
    val sink = SinkAdmin.at(path, sinkId, configuration, truncation)
    command match {
      case "finalize" => sink.finalizeOpenParts()
      case "clean"    => sink.clean()
      case "adopt"    => sink.adopt(owner)
      case "fork"     => sink.fork()
      case "reset"    => sink.reset(open)
      case "rewind"   => sink.rewind(number("epoch"))
      case "relocate" => sink.relocate()
      case other      => throw Errors.invalidOptions(Seq(s"There is no command $other."))
    }
  }

  private def owner: NewOwner = fields.get("checkpoint") match {
    case Some(location) => NewOwner.ofCheckpoint(location, configuration)
    case None           => NewOwner(text("queryId"), number("batch"))
  }

  private def open: OpenRows = fields.getOrElse("open", "finish") match {
    case "finish" => OpenRows.Finish
    case "aside"  => OpenRows.MoveAside
    case other    =>
      throw Errors.invalidOptions(
        Seq(s"open = '$other' cannot be used: what becomes of open parts is finish or aside.")
      )
  }

  private def number(field: String): Long = text(field).toLongOption.getOrElse {
    throw Errors.invalidOptions(Seq(s"$field is '${text(field)}', which is no number."))
  }

  private def text(field: String): String =
    fields.getOrElse(field, throw Errors.invalidOptions(Seq(s"$command needs $field.")))
}

private[admin] object Request {

  /** Of one JSON object; what it does not say is as in a command without options. */
  def read(json: String): Request = {
    val node          = new ObjectMapper().readTree(json)
    val configuration = new Configuration()
    texts(node.get("hadoop")).foreach { case (key, value) => configuration.set(key, value) }
    val texted = texts(node)
    Request(
      texted.getOrElse("command", ""),
      texted.getOrElse("path", throw Errors.pathMissing()),
      texted.getOrElse("sinkId", "main"),
      Option.when(flag(node, "carryOut")) {
        if (flag(node, "driverIsDead")) WhenAlive.Fence else WhenAlive.Refuse
      },
      configuration,
      truncation(texted("path"), texts(node.get("options"))),
      texted
    )
  }

  /** The only options of a query that its log does not tell and a tool has to know. */
  private def truncation(path: String, options: Map[String, String]): Truncation =
    if (options.isEmpty) Truncation.Allowed
    else {
      val asked: JMap[String, String] = (options + ("path" -> path) + ("format" -> "json")).asJava
      SinkOptions.parse(asked).recovery.storage.truncation
    }

  private def flag(node: JsonNode, name: String): Boolean = Option(node.get(name)).exists(_.asBoolean)

  private def texts(node: JsonNode): Map[String, String] =
    Option(node).fold(Map.empty[String, String]) { there =>
      there
        .fieldNames()
        .asScala
        .filter(key => there.get(key).isValueNode && !there.get(key).isNull)
        .map(key => key -> there.get(key).asText)
        .toMap
    }
}
