// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

/** A note of [[LogFiles.noteVisible]] as bytes: a JSON list of paths. */
object VisibleNote {

  def encode(paths: Set[String]): Array[Byte] =
    mapper.writeValueAsBytes(paths.toVector.sorted.toArray)

  /** Nothing for bytes that are no such list: the note is an economy, and was not forced to the disk. */
  def decode(bytes: Array[Byte]): Set[String] =
    Try(mapper.readTree(bytes).elements().asScala.map(_.asText()).toSet).getOrElse(Set.empty)

  private val mapper = new ObjectMapper()
}
