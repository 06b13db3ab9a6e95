// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.io.IOException

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.file.{CodecFactory, DataFileConstants, DataFileReader, DataFileWriter, SeekableInput}
import org.apache.avro.generic.{GenericDatumReader, GenericDatumWriter, GenericRecord}
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.internal.LegacyBehaviorPolicy

import stoplog.part.BlockOutput
import stoplog.compact.{CompactionInput, Compactor}

/** Compacts Avro object containers by copying blocks. If blocks are on average smaller than half of their
  * target size, writes the records again. The header entries are from the last file.
  *
  * @param syncIntervalBytes the target size of blocks
  */
private[stoplog] final class AvroCompactor(syncIntervalBytes: Int) extends Compactor {
  import AvroCompactor._

  private type Records = DataFileReader[GenericRecord]

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    Compactor.requireAlike(
      inputs.map(likeness),
      "different schemas, codecs, rules for dates or metadata"
    )
    val blocks = inputs.flatMap(blocksOf)
    val small  = Compactor.areSmall(blocks.map(_.bytes), syncIntervalBytes / 2L)
    val rows   = blocks.map(_.rows).sum
    val writer = created(inputs.last, out)
    var copied = 0L
    inputs.foreach { input =>
      reading(input) { records =>
        if (small) {
          records.iterator.asScala.foreach { record =>
            writer.append(record)
            copied += 1
          }
          requireWhole(input, records)
        } else writer.appendAllFrom(records, false)
      }
    }
    writer.flush() // not closed: the compactor does not own the part
    Compactor.requireRows(inputs, rows, if (small) copied else rows)
  }

  override def likeness(input: CompactionInput): String = reading(input) { records =>
    // By this policy, Spark's readers rebase the old dates of a whole file. For a file without Spark's
    // version, the policy is from the session.
    val dates =
      DataSourceUtils.datetimeRebaseSpec(records.getMetaString, LegacyBehaviorPolicy.EXCEPTION.toString)
    s"${records.getSchema} ${codec(records)} $dates ${Compactor.describing(entries(records))}"
  }

  private def entries(records: Records): Seq[(String, String)] = records.getMetaKeys.asScala.toSeq
    .filterNot(DataFileWriter.isReservedMeta)
    .map(key => key -> records.getMetaString(key))

  private def created(like: CompactionInput, out: BlockOutput): DataFileWriter[GenericRecord] =
    reading(like) { records =>
      val writer = new DataFileWriter[GenericRecord](new GenericDatumWriter[GenericRecord])
      writer.setSyncInterval(syncIntervalBytes)
      writer.setCodec(CodecFactory.fromString(codec(records)))
      records.getMetaKeys.asScala
        .filterNot(DataFileWriter.isReservedMeta)
        .foreach(key => writer.setMeta(key, records.getMeta(key)))
      writer.create(records.getSchema, out)
    }

  private def blocksOf(input: CompactionInput): Vector[Block] = reading(input) { records =>
    val blocks = Iterator
      .continually(records.hasNext)
      .takeWhile(identity)
      .map(_ => Block(records.nextBlock().remaining.toLong, records.getBlockCount))
      .toVector
    requireWhole(input, records)
    blocks
  }

  /** Requires that the last block ends with the file. Avro's reader takes a torn block for the end of the
    * rows.
    */
  private def requireWhole(input: CompactionInput, records: Records): Unit =
    if (records.previousSync != input.sizeBytes)
      throw new IOException(s"${input.path} ends within a block, after byte ${records.previousSync}")

  private def reading[A](input: CompactionInput)(action: Records => A): A = Using.resource(
    new DataFileReader[GenericRecord](new Seekable(input), new GenericDatumReader[GenericRecord])
  )(action)

  private def codec(records: Records): String =
    Option(records.getMetaString(DataFileConstants.CODEC)).getOrElse(DataFileConstants.NULL_CODEC)
}

private object AvroCompactor {
  private final case class Block(bytes: Long, rows: Long)

  private final class Seekable(input: CompactionInput) extends SeekableInput {
    private val in = input.open()

    override def seek(position: Long): Unit                              = in.seek(position)
    override def tell(): Long                                            = in.getPos
    override def length(): Long                                          = input.sizeBytes
    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = in.read(bytes, offset, length)
    override def close(): Unit                                           = in.close()
  }
}
