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

  /** The first note of a merge, without paths. */
  def encode(end: MergeNote): Array[Byte] = end match {
    case MergeNote.Begun     => encode(Set.empty[String])
    case MergeNote.CalledOff => mapper.writeValueAsBytes(mapper.createObjectNode())
  }

  def decodeMerge(bytes: Array[Byte]): MergeNote =
    if (Try(mapper.readTree(bytes).isObject).getOrElse(false)) MergeNote.CalledOff else MergeNote.Begun

  private val mapper = new ObjectMapper()
}

/** How a merge ends, which its first note says for good. */
sealed trait MergeNote

object MergeNote {

  /** All inputs were out of sight, and the merged part staged: from now on it is visible, or readers have taken it. */
  case object Begun extends MergeNote

  /** A reader took an input away before it went out of sight: the other inputs come back, and the merged part is never shown. */
  case object CalledOff extends MergeNote
}
