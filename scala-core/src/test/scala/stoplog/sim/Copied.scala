// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.Base64

/** The handle of a part in a store that publishes by making an object.
  *
  * @param target what it will be called
  * @param bytes  where its bytes are
  * @param stale  objects of former epochs, which nobody needs once this handle is in a record
  * @param begun  the upload whose completion publishes it, where its bytes are not in it yet
  */
final case class Copied(
    target: String,
    bytes: Copied.Bytes,
    stale: Vector[String],
    begun: Option[String] = None
) {

  /** The objects that it needs, by name. */
  def objects: Vector[String] = upload.toVector ++ (bytes match {
    case Copied.InObject(path) => Some(path)
    case _                     => None
  })

  /** What is completed to publish it. A part without bytes has none, and is never shown. */
  def upload: Option[String] = bytes match {
    case Copied.InUpload(id) => Some(id)
    case _                   => begun
  }

  def encode: String = {
    val (kind, text) = bytes match {
      case Copied.InRecord(content) => "record" -> Base64.getEncoder.encodeToString(content)
      case Copied.InObject(path)    => "object" -> path
      case Copied.InUpload(id)      => "upload" -> id
    }
    s"copied|$target|${stale.mkString(",")}|$kind|$text|${begun.getOrElse("")}"
  }
}

object Copied {

  /** Where the bytes of a part are. */
  sealed trait Bytes extends Product with Serializable

  /** In the handle itself, and so in the record. */
  final case class InRecord(content: Array[Byte]) extends Bytes

  /** In an object beside, which is never changed. */
  final case class InObject(path: String) extends Bytes

  /** In an upload, which can be completed once. */
  final case class InUpload(id: String) extends Bytes

  def decode(handle: String): Option[Copied] = handle.split("[|]", -1) match {
    case Array("copied", target, stale, kind, text, begun) =>
      val bytes = kind match {
        case "record" => InRecord(Base64.getDecoder.decode(text))
        case "object" => InObject(text)
        case _        => InUpload(text)
      }
      Some(
        Copied(target, bytes, stale.split(',').toVector.filter(_.nonEmpty), Option(begun).filter(_.nonEmpty))
      )
    case _ => None
  }
}
