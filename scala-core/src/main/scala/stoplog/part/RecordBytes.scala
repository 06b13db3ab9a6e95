// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.util.Base64

/** Bytes of a part stored in the record itself, in base64. */
private[stoplog] final case class RecordBytes(base64: String) {
  def bytes: Array[Byte] = Base64.getDecoder.decode(base64)

  def isEmpty: Boolean = base64.isEmpty

  def length: Int = base64.length / 4 * 3 - base64.reverseIterator.takeWhile(_ == '=').size
}

private[stoplog] object RecordBytes {
  val empty: RecordBytes = RecordBytes("")

  def of(bytes: Array[Byte]): RecordBytes = RecordBytes(Base64.getEncoder.encodeToString(bytes))
}

/** Limits for the bytes of open parts in the record, which replace a file or an object for each epoch.
  *
  * The state holds these bytes until they are written elsewhere. So the limit for each part depends on the
  * number of parts.
  *
  * @param ofAllParts the approximate limit, in bytes, for all open parts of a sink. When the number of parts
  *                   grows, the existing parts keep their larger share for some time
  * @param ofOnePart  the limit, in bytes, for a single part, regardless of the number of parts
  * @param atLeast    a smaller share counts as 0, because so few bytes do not justify checking whether they
  *                   fit
  */
private[stoplog] final case class RecordShare(ofAllParts: Int, ofOnePart: Int, atLeast: Int = 0) {

  /** Returns the limit, in bytes, for each part of a task. A task knows only the number of its own parts and
    * assumes the same number for the other tasks.
    *
    * @param parts the number of parts of this task
    * @param tasks the number of tasks of the epoch
    */
  def of(parts: Int, tasks: Int): Int = {
    val share = (ofAllParts / (parts.toLong * tasks).max(1)).min(ofOnePart.toLong).toInt
    if (share < atLeast) 0 else share
  }
}

private[stoplog] object RecordShare {

  /** Writes everything to files; suitable for storages where a file costs little. */
  val none: RecordShare = RecordShare(ofAllParts = 0, ofOnePart = 0)
}
