// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.io.{DataInput, DataOutput}
import java.nio.ByteBuffer

import stoplog.source.{Split, SplitSize, VersionedSerializer}

/** A piece of a table. */
private[cassandra] sealed trait CassandraSplit extends Split

/** The partitions with these tokens.
  *
  * @param bytes as far as the nodes' estimates tell; 0 if they do not
  * @param hosts that have them
  */
private[cassandra] final case class TokenSplit(span: TokenSpan, bytes: Long, hosts: Vector[String])
    extends CassandraSplit {
  override def describe: String = s"the tokens $span"
  override def size: SplitSize  = SplitSize(bytes, None)
}

/** Partitions by their keys.
  *
  * @param keys the values of the columns of each, as bytes of the protocol
  */
private[cassandra] final case class KeySplit(keys: Vector[Vector[ByteBuffer]]) extends CassandraSplit {
  override def describe: String = if (keys.size == 1) "one partition" else s"${keys.size} partitions"
  override def size: SplitSize  = SplitSize(0, None)
}

private[cassandra] object CassandraSplits extends VersionedSerializer[CassandraSplit] {
  override val version: Int = 1

  private final val Tokens = 0
  private final val Keys   = 1

  override def write(split: CassandraSplit, out: DataOutput): Unit = split match {
    case TokenSplit(span, bytes, hosts) =>
      out.writeByte(Tokens)
      out.writeLong(span.after)
      out.writeLong(span.until)
      out.writeLong(bytes)
      out.writeInt(hosts.size)
      hosts.foreach(out.writeUTF)
    case KeySplit(keys) =>
      out.writeByte(Keys)
      out.writeInt(keys.size)
      keys.foreach { key =>
        out.writeInt(key.size)
        key.foreach(writeBytes(_, out))
      }
  }

  override def read(version: Int, in: DataInput): CassandraSplit = in.readByte().toInt match {
    case Tokens =>
      TokenSplit(
        TokenSpan(in.readLong(), in.readLong()),
        in.readLong(),
        Vector.fill(in.readInt())(in.readUTF())
      )
    case _ => KeySplit(Vector.fill(in.readInt())(Vector.fill(in.readInt())(readBytes(in))))
  }

  private def writeBytes(buffer: ByteBuffer, out: DataOutput): Unit = {
    val bytes = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(bytes)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readBytes(in: DataInput): ByteBuffer = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    ByteBuffer.wrap(bytes)
  }
}
