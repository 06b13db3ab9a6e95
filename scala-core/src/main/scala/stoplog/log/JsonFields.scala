// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ArrayNode

/** Fields that have to be there, and of the type that they are read as. Error: `IllegalArgumentException`. */
private[log] object JsonFields {

  def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"no field '$field'"))

  def text(from: JsonNode, field: String): String = required(from, field).asText()

  def long(from: JsonNode, field: String): Long = {
    val node = required(from, field)
    if (!node.isIntegralNumber) throw new IllegalArgumentException(s"field '$field' is not a whole number")
    node.asLong()
  }

  def objects(from: JsonNode, field: String): Vector[JsonNode] = required(from, field) match {
    case array: ArrayNode => array.elements().asScala.toVector
    case _                => throw new IllegalArgumentException(s"field '$field' is not a list")
  }
}
