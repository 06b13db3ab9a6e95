// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, DataInput, DataInputStream, DataOutput, DataOutputStream
}
import java.nio.ByteBuffer

import scala.collection.mutable

import com.datastax.oss.driver.api.core.data.ByteUtils

import stoplog.source.{Discovery, Outstanding, Split, SplitEnumerator, SplitSize, VersionedSerializer}

/** Creates the splits of a plan on request. The plan is part of the state, because estimates and the ring
  * change.
  */
private[cassandra] final class CassandraEnumerator private (
    plan: SplitPlan,
    keys: Vector[KeySplit],
    private var upcoming: Long
) extends SplitEnumerator[CassandraSplit] {
  private val back = mutable.ArrayDeque.empty[CassandraSplit]

  override def discover(): Discovery = Discovery.Complete

  override def next(): Option[CassandraSplit] =
    if (back.nonEmpty) Some(back.removeHead())
    else
      Option.when(upcoming < size) {
        upcoming += 1
        at(upcoming - 1)
      }

  override def takeBack(split: CassandraSplit): Unit = {
    back.prepend(split)
    ()
  }

  override def snapshot(end: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    out.writeLong(upcoming)
    writeAll(back.toVector, out)
    writeAll(keys, out)
    out.writeInt(plan.pieces.size)
    plan.pieces.foreach { piece =>
      CassandraSplits.write(TokenSplit(piece.span, piece.bytes, piece.hosts), out)
      out.writeInt(piece.count)
    }
    bytes.toByteArray
  }

  /** Has no effect: a read does not exclude concurrent writes, which may or may not be visible. */
  override def fixTarget(): Unit = ()

  override def outstanding: Outstanding = Outstanding(size - upcoming + back.size, 0, None)

  override def close(): Unit = ()

  private def size: Long = keys.size + plan.splits

  private def at(number: Long): CassandraSplit =
    if (number < keys.size) keys(number.toInt)
    else {
      var piece  = 0
      var before = number - keys.size
      while (before >= plan.pieces(piece).count) {
        before -= plan.pieces(piece).count
        piece += 1
      }
      plan.pieces(piece).split(before.toInt)
    }

  private def writeAll(splits: Seq[CassandraSplit], out: DataOutputStream): Unit = {
    out.writeInt(splits.size)
    splits.foreach(CassandraSplits.write(_, out))
  }
}

private[cassandra] object CassandraEnumerator {

  /** Creates an enumerator of the splits of a plan. */
  def of(plan: SplitPlan): CassandraEnumerator = new CassandraEnumerator(plan, Vector.empty, 0)

  /** Creates an enumerator of selected partitions only. */
  def of(keys: Vector[KeySplit]): CassandraEnumerator =
    new CassandraEnumerator(SplitPlan(Vector.empty), keys, 0)

  /** Restores an enumerator from a snapshot. */
  def restored(snapshot: Array[Byte]): CassandraEnumerator = {
    val in       = new DataInputStream(new ByteArrayInputStream(snapshot))
    val upcoming = in.readLong()
    val back     = readAll(in)
    val keys     = readAll(in).collect { case split: KeySplit => split }
    val pieces   = Vector.fill(in.readInt())(read(in) -> in.readInt()).collect {
      case (TokenSplit(span, bytes, hosts), count) => SplitPlan.Piece(span, bytes, hosts, count)
    }
    val made = new CassandraEnumerator(SplitPlan(pieces), keys, upcoming)
    back.reverseIterator.foreach(made.takeBack)
    made
  }

  private def readAll(in: DataInputStream): Vector[CassandraSplit] = Vector.fill(in.readInt())(read(in))

  private def read(in: DataInputStream): CassandraSplit = CassandraSplits.read(CassandraSplits.version, in)
}

/** A split of a table. */
private[cassandra] sealed trait CassandraSplit extends Split

/** The partitions with tokens in a range.
  *
  * @param bytes the size estimated by the nodes; 0 if unknown
  * @param hosts the nodes with replicas
  */
private[cassandra] final case class TokenSplit(span: TokenSpan, bytes: Long, hosts: Vector[String])
    extends CassandraSplit {
  override def describe: String = s"the tokens $span"
  override def size: SplitSize  = SplitSize(bytes, None)
}

/** Partitions selected by key.
  *
  * @param keys the values of each key's columns, in the protocol's encoding
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
    val bytes = ByteUtils.getArray(buffer)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readBytes(in: DataInput): ByteBuffer = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    ByteBuffer.wrap(bytes)
  }
}
