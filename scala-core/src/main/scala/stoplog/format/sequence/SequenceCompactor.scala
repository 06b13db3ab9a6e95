// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.io.{DataOutputBuffer, SequenceFile}
import org.apache.hadoop.io.SequenceFile.{CompressionType, Reader, Writer}

import scala.jdk.CollectionConverters._
import scala.util.Using

import stoplog.part.BlockOutput
import stoplog.compact.{CompactionInput, Compactor}

/** Compacts SequenceFiles by copying stored records one by one; blocks of records are rebuilt. The metadata
  * is from the last file.
  */
private[stoplog] object SequenceCompactor extends Compactor {

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    Compactor.requireAlike(inputs.map(likeness), "different classes, codecs or metadata")
    Using.resource(created(inputs.last, out)) { writer =>
      val rows = inputs.map(reading(_)(append(_, writer))).sum
      Compactor.requireRows(inputs, rows, rows)
    }
  }

  override def likeness(input: CompactionInput): String = reading(input) { reader =>
    val metadata = reader.getMetadata.getMetadata.asScala.map { case (key, value) => s"$key" -> s"$value" }
    s"${reader.getKeyClassName} ${reader.getValueClassName} ${reader.getCompressionType} " +
      s"${reader.getCompressionCodec}".replaceAll("@[0-9a-f]+", "") +
      s" ${Compactor.describing(metadata)}"
  }

  /** Returns the number of rows. */
  private def append(reader: Reader, writer: Writer): Long = {
    val key   = new DataOutputBuffer()
    val value = reader.createValueBytes()
    var rows  = 0L
    while (reader.nextRaw(key, value) >= 0) {
      writer.appendRaw(key.getData, 0, key.getLength, value)
      key.reset()
      rows += 1
    }
    rows
  }

  private def created(like: CompactionInput, out: BlockOutput): Writer = reading(like) { reader =>
    val compression =
      if (reader.getCompressionType == CompressionType.NONE) Writer.compression(CompressionType.NONE)
      else Writer.compression(reader.getCompressionType, reader.getCompressionCodec)
    SequenceFile.createWriter(
      like.configuration,
      Writer.stream(new FSDataOutputStream(out, null)),
      Writer.keyClass(reader.getKeyClass),
      Writer.valueClass(reader.getValueClass),
      Writer.metadata(reader.getMetadata),
      compression
    )
  }

  private def reading[A](input: CompactionInput)(action: Reader => A): A = {
    val bytes = Reader.length(input.sizeBytes) // otherwise the reader misses the end
    Using.resource(new Reader(input.configuration, Reader.stream(input.openWhole()), bytes))(action)
  }
}
