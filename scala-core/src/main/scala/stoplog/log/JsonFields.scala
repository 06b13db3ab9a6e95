// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ArrayNode

import stoplog.part.PathBelow

/** Fields that have to be there, and of the type that they are read as. Error: `IllegalArgumentException`. */
private[log] object JsonFields {

  def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"no field '$field'"))

  def text(from: JsonNode, field: String): String = required(from, field).asText()

  /** Of a path below the sink's path. Error: [[PathElsewhere]]. */
  def path(from: JsonNode, field: String): String = below(from, field)(PathBelow.problem)

  /** Of the name of a file. Error: [[PathElsewhere]]. */
  def name(from: JsonNode, field: String): String = below(from, field)(PathBelow.problemOfName)

  def long(from: JsonNode, field: String): Long = {
    val node = required(from, field)
    if (!node.isIntegralNumber) throw new IllegalArgumentException(s"field '$field' is not a whole number")
    node.asLong()
  }

  def objects(from: JsonNode, field: String): Vector[JsonNode] = required(from, field) match {
    case array: ArrayNode => array.elements().asScala.toVector
    case _                => throw new IllegalArgumentException(s"field '$field' is not a list")
  }

  private def below(from: JsonNode, field: String)(problem: String => Option[String]): String = {
    val read = text(from, field)
    problem(read).foreach(why => throw new PathElsewhere(s"$why: the field '$field' is '$read'"))
    read
  }
}

/** A field names a file that may lie outside of the sink's path. */
private[log] final class PathElsewhere(message: String) extends IllegalArgumentException(message)
