// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable

import stoplog.source.{Discovery, Outstanding, SplitEnumerator}

/** Makes splits of a plan, each when it is asked for. The plan is part of its state: estimates and the ring change. */
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

  /** A table is read as it is: what is written meanwhile may be seen or not. */
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

  /** Of the partitions of a plan. */
  def of(plan: SplitPlan): CassandraEnumerator = new CassandraEnumerator(plan, Vector.empty, 0)

  /** Of some partitions alone. */
  def of(keys: Vector[KeySplit]): CassandraEnumerator =
    new CassandraEnumerator(SplitPlan(Vector.empty), keys, 0)

  /** As it was when it was asked for its snapshot. */
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
