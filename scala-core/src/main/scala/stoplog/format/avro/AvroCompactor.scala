// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.file.{CodecFactory, DataFileConstants, DataFileStream, DataFileWriter}
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
  private type Records = DataFileStream[GenericRecord]

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    Compactor.requireAlike(
      inputs.map(likeness),
      "different schemas, codecs, rules for dates or metadata"
    )
    val small  = isTooSmall(inputs)
    val writer = created(inputs.last, out)
    inputs.foreach { input =>
      reading(input) { records =>
        if (small) records.iterator.asScala.foreach(writer.append(_))
        else writer.appendAllFrom(records, false)
      }
    }
    writer.flush() // not closed: the compactor does not own the part
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

  private def isTooSmall(inputs: Seq[CompactionInput]): Boolean = {
    val blocks = inputs.flatMap { input =>
      reading(input) { records =>
        Iterator
          .continually(records.hasNext)
          .takeWhile(identity)
          .map(_ => records.nextBlock().remaining.toLong)
          .toVector
      }
    }
    Compactor.areSmall(blocks, syncIntervalBytes / 2L)
  }

  private def reading[A](input: CompactionInput)(action: Records => A): A =
    Using.resource(new DataFileStream[GenericRecord](input.open(), new GenericDatumReader[GenericRecord]))(
      action
    )

  private def codec(records: Records): String =
    Option(records.getMetaString(DataFileConstants.CODEC)).getOrElse(DataFileConstants.NULL_CODEC)
}
