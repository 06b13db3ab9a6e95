// SPDX-License-Identifier: Apache-2.0
package example

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, DataInput, DataInputStream, DataOutput, DataOutputStream
}
import java.util.{Map => JMap}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StructType}

import stoplog.format.read.RowSource
import stoplog.source._

/** A source of one's own, from its beginning to its end: the numbers from 0 to the option `last`, in splits of 100.
  *
  * Resettable: a split says which numbers it has, so it can be read any number of times. The enumerator makes splits when
  * it is asked for them, and its whole state is where it is.
  */
final class NumbersSource extends RowSource {
  override def schema(options: JMap[String, String]): StructType = new StructType().add("number", LongType)

  override def open(
      options: JMap[String, String],
      schema: StructType
  ): SplitSource[Numbers, Long, InternalRow] =
    new NumbersSplits(options.get("last").toLong + 1)
}

/** @param until the first number that is no longer read */
final case class Numbers(from: Long, until: Long) extends Split {
  override def describe: String = s"the numbers from $from to ${until - 1}"
  override def size: SplitSize  = SplitSize(8 * (until - from), Some(until - from))
}

object NumbersSerializer extends VersionedSerializer[Numbers] {
  override val version: Int = 1

  override def write(numbers: Numbers, out: DataOutput): Unit = {
    out.writeLong(numbers.from)
    out.writeLong(numbers.until)
  }

  override def read(version: Int, in: DataInput): Numbers = Numbers(in.readLong(), in.readLong())
}

final class NumbersSplits(until: Long) extends SplitSource[Numbers, Long, InternalRow] {
  override def describe: String                            = s"the numbers below $until"
  override def splits: VersionedSerializer[Numbers]        = NumbersSerializer
  override def reader(): SplitReader[Numbers, Long]        = new NumbersReader
  override def emitter(): RecordEmitter[Long, InternalRow] = (number, out) => out.put(InternalRow(number))

  override def enumerator(context: EnumeratorContext[Numbers]): SplitEnumerator[Numbers] =
    new NumbersEnumerator(until, context.restored)

  override def divide(split: Numbers, bytes: Long): Seq[Numbers] =
    split.from.until(split.until).by((bytes / 8).max(1).min(1000)).map { from =>
      Numbers(from, (from + (bytes / 8).max(1).min(1000)).min(split.until))
    }
}

final class NumbersEnumerator(until: Long, restored: Option[Array[Byte]]) extends SplitEnumerator[Numbers] {
  private val back     = mutable.ArrayDeque.empty[Numbers]
  private var upcoming = 0L

  restored.foreach { bytes =>
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    upcoming = in.readLong()
    back ++= Vector.fill(in.readInt())(NumbersSerializer.read(1, in))
  }

  override def discover(): Discovery = Discovery.Complete

  override def next(): Option[Numbers] =
    if (back.nonEmpty) Some(back.removeHead())
    else
      Option.when(upcoming < until) {
        val split = Numbers(upcoming, (upcoming + 100).min(until))
        upcoming = split.until
        split
      }

  override def takeBack(split: Numbers): Unit = {
    back.prepend(split)
    ()
  }

  override def snapshot(end: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    out.writeLong(upcoming)
    out.writeInt(back.size)
    back.foreach(NumbersSerializer.write(_, out))
    bytes.toByteArray
  }

  override def fixTarget(): Unit = ()

  override def outstanding: Outstanding =
    Outstanding((until - upcoming + 99) / 100 + back.size, 8 * (until - upcoming), None)

  override def close(): Unit = ()
}

final class NumbersReader extends SplitReader[Numbers, Long] {
  private val waiting         = mutable.ArrayDeque.empty[Numbers]
  private var left: Numbers   = Numbers(0, 0)
  @volatile private var woken = false

  override def add(splits: Seq[Numbers]): Unit = {
    waiting ++= splits
    ()
  }

  override def fetch(): Fetched[Numbers, Long] =
    if (woken) {
      woken = false
      Fetched.Nothing
    } else if (left.from < left.until) new Left
    else if (waiting.isEmpty) Fetched.Finished
    else {
      left = waiting.removeHead()
      Fetched.Nothing
    }

  override def wakeUp(): Unit = woken = true

  override def close(): Unit = ()

  /** All that is left of the split: it is gone from there as it is handed out. */
  private final class Left extends Fetched.Records[Numbers, Long] {
    private var number = -1L

    override def advance(): Boolean = left.from < left.until && {
      number = left.from
      left = left.copy(from = number + 1)
      true
    }

    override def record: Long = number

    override def rest: Option[Numbers] = Option.when(left.from < left.until)(left)
  }
}
