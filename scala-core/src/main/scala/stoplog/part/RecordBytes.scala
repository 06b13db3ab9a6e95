// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.util.Base64

/** Bytes of a part that are in the record itself, in base64. */
private[stoplog] final case class RecordBytes(base64: String) {
  def bytes: Array[Byte] = Base64.getDecoder.decode(base64)

  def isEmpty: Boolean = base64.isEmpty

  def length: Int = base64.length / 4 * 3 - base64.reverseIterator.takeWhile(_ == '=').size
}

private[stoplog] object RecordBytes {
  val empty: RecordBytes = RecordBytes("")

  def of(bytes: Array[Byte]): RecordBytes = RecordBytes(Base64.getEncoder.encodeToString(bytes))
}

/** The bytes that parts which stay open may have in the record, in place of a file or an object each epoch.
  *
  * The state holds them until they are written elsewhere. So what one part may have there depends on how many there are.
  *
  * @param ofAllParts about so many bytes of all open parts of a sink: those that were few have what is one part's yet, when
  *                   there are more
  * @param ofOnePart  bytes of one of them, however few there are
  * @param atLeast    a share of less is none: so few bytes are not worth a trial whether they fit
  */
private[stoplog] final case class RecordShare(ofAllParts: Int, ofOnePart: Int, atLeast: Int = 0) {

  /** The bytes of one part of a task, which knows of its own parts alone, and takes the other tasks to have as many.
    *
    * @param parts of this task
    * @param tasks of the epoch
    */
  def of(parts: Int, tasks: Int): Int = {
    val share = (ofAllParts / (parts.toLong * tasks).max(1)).min(ofOnePart.toLong).toInt
    if (share < atLeast) 0 else share
  }
}

private[stoplog] object RecordShare {

  /** Everything is written to files, as where one costs little. */
  val none: RecordShare = RecordShare(ofAllParts = 0, ofOnePart = 0)
}
