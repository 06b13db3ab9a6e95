// SPDX-License-Identifier: Apache-2.0
package stoplog.python.source

import java.io.{DataInput, DataOutput}
import java.util.{HashMap => JHashMap, Map => JMap}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.format.read.RowSource
import stoplog.options.PythonOptions
import stoplog.source._

/** A source of the user in Python. The rows are the splits, which Python reads in the tasks.
  */
private[stoplog] final class PythonSource extends RowSource {

  override def schema(options: JMap[String, String]): StructType = PythonSource.ColumnsOfSplits

  override def open(
      options: JMap[String, String],
      schema: StructType
  ): SplitSource[PythonSplit, PythonSplit, InternalRow] =
    new PythonSplits(PythonSource.owner(options), new JHashMap(options))
}

private[source] object PythonSource {
  val ColumnsOfSplits: StructType =
    StructType.fromDDL("position STRING NOT NULL, rows BIGINT, bytes BIGINT NOT NULL")

  /** Returns the class or function of the user, for messages. */
  def owner(options: JMap[String, String]): String =
    options.getOrDefault(PythonOptions.Owner, "a class in Python")
}

/** A split that only Python can read.
  *
  * @param position as JSON
  */
private[source] final case class PythonSplit(position: String, records: Option[Long], bytes: Long)
    extends Split {
  override def describe: String = s"the split $position"
  override def size: SplitSize  = SplitSize(bytes, records)
}

private[source] object PythonSplitSerializer extends VersionedSerializer[PythonSplit] {
  override val version: Int = 1

  override def write(split: PythonSplit, out: DataOutput): Unit = {
    Texts.write(split.position, out)
    out.writeLong(split.records.getOrElse(Unknown))
    out.writeLong(split.bytes)
  }

  override def read(version: Int, in: DataInput): PythonSplit =
    PythonSplit(Texts.read(in), Some(in.readLong()).filter(_ != Unknown), in.readLong())

  private final val Unknown = -1L
}

/** @param options on the driver only; the names are in lower case */
private[source] final class PythonSplits(owner: String, @transient private val options: JMap[String, String])
    extends SplitSource[PythonSplit, PythonSplit, InternalRow] {

  override def describe: String                                   = s"of $owner"
  override def splits: VersionedSerializer[PythonSplit]           = PythonSplitSerializer
  override def reader(): SplitReader[PythonSplit, PythonSplit]    = new PythonSplitReader
  override def emitter(): RecordEmitter[PythonSplit, InternalRow] = (split, out) =>
    out.put(
      InternalRow(
        UTF8String.fromString(split.position),
        split.records.map(Long.box).orNull,
        split.bytes
      )
    )

  override def enumerator(context: EnumeratorContext[PythonSplit]): SplitEnumerator[PythonSplit] =
    new PythonEnumerator(options, context)
}

/** Returns each split as the only record of the split. */
private[source] final class PythonSplitReader extends SplitReader[PythonSplit, PythonSplit] {
  private val waiting = mutable.ArrayDeque.empty[PythonSplit]

  override def add(splits: Seq[PythonSplit]): Unit = {
    waiting ++= splits
    ()
  }

  override def fetch(): Fetched[PythonSplit, PythonSplit] =
    if (waiting.isEmpty) Fetched.Finished else new Whole(waiting.removeHead())

  override def wakeUp(): Unit = ()

  override def close(): Unit = ()

  private final class Whole(split: PythonSplit) extends Fetched.Records[PythonSplit, PythonSplit] {
    private var isRead = false

    override def advance(): Boolean = !isRead && {
      isRead = true
      true
    }

    override def record: PythonSplit       = split
    override def rest: Option[PythonSplit] = None
  }
}
