// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.io.OutputStream

import org.apache.hadoop.fs.FSDataOutputStream

import stoplog.part.BlockOutput

/** The end of a part as the stream that orc-core writes to: its position is the part's, and it closes nothing. */
private[orc] final class PartStream private (target: PartStream.Target)
    extends FSDataOutputStream(target, null) {

  def this(out: BlockOutput) = this(new PartStream.Target(out))

  override def getPos: Long = target.position

  /** Lets `write` see a part that is empty, and none of what it writes reach the part. */
  def pretendingEmpty(write: => Unit): Unit = {
    target.pretended = Some(0)
    try write
    finally target.pretended = None
  }
}

private[orc] object PartStream {

  private final class Target(out: BlockOutput) extends OutputStream {

    var pretended: Option[Long] = None

    def position: Long = pretended.getOrElse(out.position)

    override def write(byte: Int): Unit = pretended match {
      case Some(position) => pretended = Some(position + 1)
      case None           => out.write(byte)
    }

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = pretended match {
      case Some(position) => pretended = Some(position + length)
      case None           => out.write(bytes, offset, length)
    }
  }
}
