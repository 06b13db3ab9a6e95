// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import org.apache.avro.Schema
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.GenericDatumWriter
import org.apache.spark.sql.catalyst.InternalRow
import stoplog.part.BlockOutput
import stoplog.commit.BadRow
import stoplog.format.bulk.{SyncMarker, SyncedWriter}
import stoplog.format.compress.DetachableStream

/** Avro's own writer at the end of a part.
  *
  * It begins with a header wherever it is. In a part that has one already, which an older Spark may have written in
  * other words, it is let go before anything else is written.
  */
private[avro] final class AvroWriter(
    settings: AvroSettings,
    schema: Schema,
    serializer: SparkAvro.Serializer,
    out: BlockOutput,
    name: String
) extends SyncedWriter {

  private val part    = new DetachableStream(out)
  private val encoded = new EncodedBytes
  private val file    = new DataFileWriter[AnyRef](new GenericDatumWriter[AnyRef])

  locally {
    file.setCodec(settings.codec.factory)
    file.setSyncInterval(settings.syncIntervalBytes)
    file.setEncoder(block => encoded.into(block))
    settings.metadata.foreach { case (key, value) => file.setMeta(key, value) }
    if (out.position > 0) part.detach()
    file.create(schema, part, SyncMarker.of(name))
    file.flush()
    part.attach()
  }

  override def write(row: InternalRow): Unit = {
    val before = out.position
    val datum  = BadRow.unless(serializer(row))
    try file.append(datum)
    catch { case wrapped: DataFileWriter.AppendWriteException => throw new BadRow(wrapped.getCause) }
    // Each block is handed on as soon as it is full.
    if (out.position != before) encoded.restart()
  }

  override def bufferedBytes: Long = encoded.count

  override def sync(): Unit = {
    file.flush()
    encoded.restart()
  }

  override def close(): Unit = {
    part.detach()
    file.close()
  }
}
