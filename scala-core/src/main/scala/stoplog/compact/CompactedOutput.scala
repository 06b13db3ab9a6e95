// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import stoplog.fault.{Faults, Step}
import stoplog.part.{BlockOutput, Resume}
import stoplog.storage.PartOutput

/** The part written by a compaction. */
private[stoplog] final class CompactedOutput(part: PartOutput, faults: Faults) extends BlockOutput {
  private[this] val buffer = new Array[Byte](CompactedOutput.BufferBytes)
  private[this] var length = 0

  override def position: Long = part.position + length

  override def write(byte: Int): Unit = {
    if (length == buffer.length) flush()
    buffer(length) = byte.toByte
    length += 1
  }

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (count >= buffer.length) {
      flush()
      part.write(bytes, offset, count)
    } else {
      if (length + count > buffer.length) flush()
      System.arraycopy(bytes, offset, buffer, length, count)
      length += count
    }

  override def flush(): Unit = if (length > 0) {
    part.write(buffer, 0, length)
    length = 0
  }

  /** Makes the part durable. On S3 the last bytes of the part stay outside its upload, so that a check can
    * detect a missing upload ([[stoplog.storage.PartStore.isStaged]]).
    */
  def finish(): Resume = {
    val half = length / 2
    part.write(buffer, 0, half)
    faults.at(Step.MidCompaction)
    part.write(buffer, half, length - half)
    length = 0
    part.persist()
  }

  override def close(): Unit = part.close()
}

private object CompactedOutput {
  val BufferBytes: Int = 128 << 10
}
