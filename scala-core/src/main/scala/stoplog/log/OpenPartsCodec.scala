// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.part.Open

/** Open parts as bytes, outside of a record: as a record says them, so that nothing of them is left out. */
object OpenPartsCodec {

  def encode(parts: Vector[Open]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(parts.size * UsualBytes)
    Using.resource(mapper.getFactory.createGenerator(bytes)) { into =>
      into.writeStartArray()
      parts.foreach(RecordJson.writeOpen(_, usual = None, into))
      into.writeEndArray()
    }
    bytes.toByteArray
  }

  def decode(bytes: Array[Byte]): Vector[Open] =
    mapper.readTree(bytes).elements().asScala.map(RecordJson.readOpen(_, usual = None)).toVector

  private val mapper = new ObjectMapper()

  private final val UsualBytes = 256
}
