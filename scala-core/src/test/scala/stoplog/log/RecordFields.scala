// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The fields of all records, whole and differences, as their files have them. */
object RecordFields {

  /** Each field with the object that it is in: the field that holds that object, or the list with it, and `file` for the
    * outermost one. The keys of settings are no fields.
    */
  lazy val all: Set[(String, String)] = samples.flatMap(bytes => of("file", mapper.readTree(bytes))).toSet

  private def samples: Iterator[Array[Byte]] = {
    val records = new RandomRecords(seed = 7)
    Iterator
      .fill(Samples)(records.next())
      .sliding(2)
      .flatMap { pair =>
        val (before, after) = (pair.head, pair.last)
        RecordCodec.encode(after) +: StateDelta
          .between(before.state, after.state)
          .map(RecordCodec.encodeDelta(after, Base(0, "00000000"), _).bytes)
          .toSeq
      }
  }

  private def of(name: String, node: JsonNode): Set[(String, String)] =
    if (node.isArray) node.elements().asScala.flatMap(of(name, _)).toSet
    else if (name == "settings") Set.empty
    else
      node
        .fieldNames()
        .asScala
        .flatMap(field => of(field, node.get(field)) + (name -> field))
        .toSet

  private val mapper = new ObjectMapper()

  private final val Samples = 300
}
