// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.ByteArrayOutputStream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import stoplog.format.TaskSerialization
import stoplog.part.BlockOutput

/** A part in memory, which many processes go on with one after another. */
final class GrowingPart(val name: String = "part-7f3a-0") {

  private var content = Array.empty[Byte]

  def bytes: Array[Byte] = content

  /** As a process does that takes over what another has left. */
  def cutBackTo(length: Int): GrowingPart = {
    val other = new GrowingPart(name)
    other.content = content.take(length)
    other
  }

  /** One epoch by a format that came here as text: all rows, in calls of `sync` after each of `groups`. */
  def epoch(format: SyncedFormat, schema: StructType, groups: Seq[InternalRow]*): Unit = {
    format.open(schema)
    val end    = new GrowingPart.End(content)
    val writer = format.writer(end, name)
    for (rows <- groups) {
      rows.foreach(writer.write)
      writer.sync()
    }
    content = end.bytes
    groups.lastOption.toSeq.flatten.foreach(writer.write) // rows of an epoch that does not come to its end
    writer.close()
  }
}

object GrowingPart {

  /** Where to write in a part that has some bytes already. */
  final class End(begun: Array[Byte]) extends BlockOutput {
    private val more = new ByteArrayOutputStream

    def bytes: Array[Byte] = begun ++ more.toByteArray

    override def position: Long = begun.length.toLong + more.size

    override def write(b: Int): Unit = more.write(b)

    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = more.write(bytes, offset, count)

    override def flush(): Unit = throw new AssertionError("a format does not decide when bytes go to storage")

    override def close(): Unit = throw new AssertionError("a part is not the format's to close")
  }

  /** How a task gets a format. */
  def sent[F <: SyncedFormat](format: F): F = TaskSerialization.toTask(format)
}
