// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.io.NullWritable
import org.apache.orc.Writer
import org.apache.orc.mapred.OrcStruct
import org.apache.orc.mapreduce.OrcMapreduceRecordWriter
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.orc.OrcSerializer

import stoplog.format.bulk.BlockWriter
import stoplog.part.BlockOutput

/** One stripe, by a writer of its own.
  *
  * @param before
  *   the stripes before it
  */
private[orc] final class StripeWriter(out: BlockOutput, before: StripeDirectory, writing: OrcWriting)
    extends BlockWriter {

  private val limit      = writing.limit
  private val file       = new StripeFile(out, writing.options)
  private val writer     = open()
  private val batches    = new OrcMapreduceRecordWriter[OrcStruct](writer, writing.settings.batchRows)
  private val serializer = new OrcSerializer(writing.settings.schema)
  private var rows       = 0L
  private var isClosed   = false

  override def write(row: InternalRow): Unit = {
    batches.write(NullWritable.get, serializer.serialize(row))
    // The row before the first of a batch makes orc-core take that batch.
    if (limit.takeBatch()) limit.look(rows, writer.estimateMemory())
    rows += 1
  }

  override def bufferedBytes: Long = limit.answer

  override def finish(): Array[Byte] = {
    file.release()
    batches.close(null)
    isClosed = true
    file.addedTo(before).bytes
  }

  /** Closing the writer instead would encode what nobody will see. */
  override def close(): Unit =
    if (!isClosed) {
      isClosed = true
      file.close()
    }

  private def open(): Writer =
    try writing.writer(file, limit, before.encodings)
    catch {
      case e: Throwable =>
        file.close()
        throw e
    }
}
