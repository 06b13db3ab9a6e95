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
    case Copied.InObject(path, _, _) => Some(path)
    case _                           => None
  })

  /** What is completed to publish it. A part without bytes has none, and is never shown. */
  def upload: Option[String] = bytes match {
    case Copied.InUpload(id) => Some(id)
    case _                   => begun
  }

  /** Of its first bytes alone. */
  def first(count: Int): Copied = bytes match {
    case Copied.InObject(path, length, behind) =>
      copy(bytes = Copied.InObject(path, length.min(count), behind.take((count - length).max(0))))
    case _ => this
  }

  def encode: String = {
    val (kind, text) = bytes match {
      case Copied.InRecord(content)              => "record" -> Copied.base64(content)
      case Copied.InObject(path, length, behind) => "object" -> s"$path*$length*${Copied.base64(behind)}"
      case Copied.InUpload(id)                   => "upload" -> id
    }
    s"copied|$target|${stale.mkString(",")}|$kind|$text|${begun.getOrElse("")}"
  }
}

object Copied {

  /** Where the bytes of a part are. */
  sealed trait Bytes extends Product with Serializable

  /** In the handle itself, and so in the record. */
  final case class InRecord(content: Array[Byte]) extends Bytes

  /** In an object beside, which is never changed, and behind its first `length` bytes in the record. */
  final case class InObject(path: String, length: Int, behind: Array[Byte]) extends Bytes

  /** In an upload, which can be completed once. */
  final case class InUpload(id: String) extends Bytes

  def decode(handle: String): Option[Copied] = handle.split("[|]", -1) match {
    case Array("copied", target, stale, kind, text, begun) =>
      val bytes = kind match {
        case "record" => InRecord(Base64.getDecoder.decode(text))
        case "object" =>
          val Seq(path, length, behind) = text.split("[*]", -1).toSeq: @unchecked
          InObject(path, length.toInt, Base64.getDecoder.decode(behind))
        case _ => InUpload(text)
      }
      Some(
        Copied(target, bytes, stale.split(',').toVector.filter(_.nonEmpty), Option(begun).filter(_.nonEmpty))
      )
    case _ => None
  }

  private def base64(content: Array[Byte]): String = Base64.getEncoder.encodeToString(content)
}
