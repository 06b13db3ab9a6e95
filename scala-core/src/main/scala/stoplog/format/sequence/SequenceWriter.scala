// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import org.apache.hadoop.io.SequenceFile.Writer
import org.apache.spark.sql.catalyst.InternalRow
import stoplog.part.BlockOutput
import stoplog.commit.BadRow
import stoplog.format.bulk.SyncedWriter
import stoplog.format.compress.DetachableStream

/** Hadoop's own writer at the end of a part. */
private[sequence] final class SequenceWriter(layout: SequenceLayout, out: BlockOutput, name: String)
    extends SyncedWriter {

  private val part     = new DetachableStream(out)
  private var buffered = 0L

  // Hadoop's writer begins with a marker where it goes on, and its reader takes two markers without a record between
  // them for the end of the file. So it is not made before there is a record.
  private var file: Option[Writer] = None

  if (out.position == 0) out.write(layout.header(name))

  override def write(row: InternalRow): Unit = {
    val key    = BadRow.unless(layout.key(row))
    val value  = BadRow.unless(layout.value(row))
    val writer = file.getOrElse(begin())
    val before = out.position
    writer.append(key, value)
    if (layout.buffers)
      buffered = if (out.position == before) buffered + layout.key.sizeBytes + layout.value.sizeBytes else 0
  }

  override def bufferedBytes: Long = buffered

  override def sync(): Unit =
    if (layout.buffers) {
      file.foreach(_.sync())
      buffered = 0
    }

  override def close(): Unit = {
    part.detach()
    file.foreach(_.close())
  }

  private def begin(): Writer = {
    val made = layout.append(name, part, out.position)
    file = Some(made)
    made
  }
}
