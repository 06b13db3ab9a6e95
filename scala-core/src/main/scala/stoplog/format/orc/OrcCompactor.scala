// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.charset.StandardCharsets.UTF_8

import java.util.TimeZone

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.orc.{OrcConf, OrcFile, OrcProto, Reader, TypeDescription, Writer}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.TypeDescription.Category
import org.apache.orc.impl.RecordReaderImpl

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format.bulk.FormatConfiguration
import stoplog.part.BlockOutput

/** Compacts ORC files by copying stripes, or by writing the rows again. Rows are written again if stripes are
  * below an eighth of their target size in memory. The same applies if this orc-core would write the stripes
  * differently ([[mayCopy]]). orc-core writes values as read, without interpreting them, but shifts times of
  * another time zone ([[mayEncode]]).
  *
  * @param settings of the writer, as in Hadoop's configuration
  */
private[stoplog] final class OrcCompactor private[orc] (settings: Map[String, String]) extends Compactor {
  import OrcCompactor._

  override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = {
    val merged = Using.Manager { use =>
      val readers = inputs.map(input => use(opened(input)))
      Compactor.requireAlike(readers.map(likenessOf), "different columns, settings or metadata")
      val stripes     = readers.flatMap(_.getStripes.asScala).map(_.getLength)
      val small       = Compactor.areSmall(stripes, options(readers.last).getStripeSize / Compressed)
      lazy val encode = readers.forall(mayEncode)
      val copy        = readers.forall(mayCopy)
      val written     =
        if (copy && !(small && encode)) copied(inputs.zip(readers), out)
        else if (encode) encoded(readers, out)
        else throw notCompactable(inputs)
      Compactor.requireRows(inputs, readers.map(_.getNumberOfRows).sum, written)
    }
    merged.get
  }

  override def likeness(input: CompactionInput): String = Using.resource(opened(input)) { reader =>
    val encode = mayEncode(reader)
    if (!encode && !mayCopy(reader)) throw notCompactable(Seq(input))
    s"${likenessOf(reader)} $encode"
  }

  private def notCompactable(inputs: Seq[CompactionInput]) = new IllegalArgumentException(
    s"${inputs.map(_.path).mkString(", ")} cannot be compacted: another release of ORC, or another program, " +
      s"wrote one of them, in another time zone than this process has, ${TimeZone.getDefault.getID}. " +
      "Compact in JVMs with -Duser.timezone set to the writer's."
  )

  private def opened(input: CompactionInput): Reader = {
    val reader =
      OrcFile.createReader(input.path, OrcFile.readerOptions(input.configuration).maxLength(input.sizeBytes))
    if (reader.getColumnEncryptionKeys.nonEmpty) {
      reader.close()
      throw new IllegalArgumentException(s"${input.path} is encrypted, and such files are not compacted.")
    }
    reader
  }

  /** Whether stripes may be copied. A compacted file declares the current writer version for all stripes.
    * Readers would then trust wrong values in stripes of older writers, such as bounds of decimals. Each
    * stripe must also have its statistics in the file.
    */
  private def mayCopy(reader: Reader): Boolean = {
    val statistics = statisticsOf(reader)
    reader.getWriterVersion == OrcFile.CURRENT_WRITER && statistics.size == reader.getStripes.size &&
    statistics.forall(_.getColStatsCount > reader.getSchema.getMaximumId)
  }

  /** Whether rows may be written again. orc-core reads a local time in the zone of this process, where an
    * hour of the writer's zone may be missing or occur twice. Times in a stripe without a recorded zone are
    * in the zone of the reader.
    */
  private def mayEncode(reader: Reader): Boolean = {
    val schema = reader.getSchema
    (0 to schema.getMaximumId).forall(schema.findSubtype(_).getCategory != Category.TIMESTAMP) ||
    Using.resource(reader.rows(reader.options().range(0, 0)).asInstanceOf[RecordReaderImpl]) { rows =>
      reader.getStripes.asScala.map(rows.readStripeFooter).forall { stripe =>
        stripe.hasWriterTimezone &&
        TimeZone.getTimeZone(stripe.getWriterTimezone).hasSameRules(TimeZone.getDefault)
      }
    }
  }

  private def copied(files: Iterable[(CompactionInput, Reader)], out: BlockOutput): Long = {
    val readers = files.map(_._2).toSeq
    val stripes = readers.flatMap(statisticsOf)
    written(readers, out, stripes) { writer =>
      files.foreach { case (input, reader) =>
        Using.resource(input.open()) { in =>
          reader.getStripes.asScala.zip(statisticsOf(reader)).foreach { case (stripe, statistics) =>
            val bytes = new Array[Byte](math.toIntExact(stripe.getLength))
            in.readFully(stripe.getOffset, bytes)
            writer.appendStripe(bytes, 0, bytes.length, stripe, statistics)
          }
        }
      }
    }
  }

  private def encoded(readers: Seq[Reader], out: BlockOutput): Long = written(readers, out, Nil) { writer =>
    val batch = readers.head.getSchema.createRowBatch()
    readers.foreach { reader =>
      Using.resource(reader.rows()) { rows =>
        while (rows.nextBatch(batch)) writer.addRowBatch(batch)
      }
    }
  }

  /** Returns the number of rows in the file. */
  private def written(readers: Seq[Reader], out: BlockOutput, copied: Seq[OrcProto.StripeStatistics])(
      rows: Writer => Unit
  ): Long = {
    val chosen = options(readers.last)
    val writer = OrcFile.createWriter(
      OrcWriting.NoPath,
      chosen.physicalWriter(
        new OrcTail.CopiedStripesFile(new PartStream(out), chosen, Option.when(copied.nonEmpty)(copied))
      )
    )
    rows(writer)
    for {
      reader <- readers // the values of each key are equal
      key    <- reader.getMetadataKeys.asScala
    } writer.addUserMetadata(key, reader.getMetadataValue(key))
    writer.close()
    writer.getNumberOfRows
  }

  private def options(reader: Reader): WriterOptions = {
    val options = OrcFile
      .writerOptions(FormatConfiguration.configuration(settings))
      .setSchema(reader.getSchema)
      .version(reader.getFileVersion)
      .compress(reader.getCompressionKind)
      .rowIndexStride(reader.getRowIndexStride)
      .setProlepticGregorian(reader.writerUsedProlepticGregorian)
    if (reader.getCompressionSize > 0) options.bufferSize(reader.getCompressionSize).enforceBufferSize()
    else options
  }

  // The newer method hides the stored statistics.
  @nowarn("cat=deprecation")
  private def statisticsOf(reader: Reader): Seq[OrcProto.StripeStatistics] =
    reader.getOrcProtoStripeStatistics.asScala.toSeq

  private def likenessOf(reader: Reader): String =
    Seq[Any](
      reader.getSchema.toJson,
      attributesOf(reader.getSchema),
      reader.getFileVersion,
      reader.getWriterVersion,
      reader.getCompressionKind,
      reader.getCompressionSize,
      reader.getRowIndexStride,
      reader.writerUsedProlepticGregorian,
      Compactor.describing(
        reader.getMetadataKeys.asScala.map(key => key -> UTF_8.decode(reader.getMetadataValue(key)).toString)
      )
    ).mkString(" ")

  /** The attributes of the columns. Spark stores some types as numbers, and records the type as an attribute.
    * Files of other writers have no attribute for types that ORC has.
    */
  private def attributesOf(schema: TypeDescription): Seq[String] = for {
    id <- 0 to schema.getMaximumId
    of = schema.findSubtype(id)
    name <- of.getAttributeNames.asScala.sorted
    value = of.getAttributeValue(name)
    if name != CatalystType || value != of.getCategory.getName
  } yield s"$id $name $value"
}

private[stoplog] object OrcCompactor {

  private val CatalystType = "spark.sql.catalyst.type"

  /** Returns a compactor for any ORC files, under the settings of `hadoop`. */
  def apply(hadoop: Configuration): OrcCompactor = {
    val known = OrcConf.values.flatMap(o => Seq(o.getAttribute, o.getHiveConfName)).filter(_ != null).distinct
    new OrcCompactor(known.flatMap(key => Option(hadoop.get(key)).map(key -> _)).toMap)
  }

  /** The factor by which stripes usually shrink on storage, at most. */
  private val Compressed = 8

}
