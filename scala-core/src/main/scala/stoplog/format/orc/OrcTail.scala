// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.math.{BigDecimal => JBigDecimal, MathContext, RoundingMode}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.orc.{OrcProto, TypeDescription}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.TypeDescription.MAX_DECIMAL64_PRECISION
import org.apache.orc.impl.{PhysicalFsWriter, StreamName}
import org.apache.orc.impl.ReaderImpl.StripeInformationImpl
import org.apache.orc.impl.writer.WriterEncryptionVariant
import org.apache.spark.sql.execution.datasources.orc.OrcUtils

import stoplog.part.BlockOutput

/** Writes the end of an ORC file: the stripes' statistics, the footer, the postscript. */
private[orc] object OrcTail {

  /** Passes the stripes to orc-core as if copied from other files: orc-core then merges their statistics. */
  def write(out: BlockOutput, directory: StripeDirectory, writing: OrcWriting): Unit = {
    val file   = new TailFile(new PartStream(out), out.position == 0, directory.stripes, writing.options)
    val writer = writing.writer(file, writing.limit, before = Nil)
    for (stripe <- directory.stripes) {
      val place = new StripeInformationImpl(stripe.place, -1, -1, null)
      writer.appendStripe(Array.emptyByteArray, 0, 0, place, stripe.statistics)
    }
    for ((key, value) <- writing.settings.metadata)
      writer.addUserMetadata(key, ByteBuffer.wrap(value.getBytes(UTF_8)))
    OrcUtils.addSparkVersionMetadata(writer)
    writer.close()
  }

  /** A file whose stripes are already written. */
  private final class TailFile(
      stream: PartStream,
      isEmpty: Boolean,
      stripes: Seq[StripeDirectory.Stripe],
      options: WriterOptions
  ) extends CopiedStripesFile(stream, options, Some(stripes.map(_.statistics))) {
    private val offsets = stripes.iterator.map(_.place.getOffset)

    override def writeHeader(): Unit =
      if (isEmpty) super.writeHeader() else stream.pretendingEmpty(super.writeHeader())

    override def appendRawStripe(stripe: ByteBuffer, place: OrcProto.StripeInformation.Builder): Unit = {
      super.appendRawStripe(ByteBuffer.allocate(0), place)
      place.setOffset(offsets.next()): Unit
    }
  }

  /** A file with stripes not written by orc-core, so that orc-core does not know the sums of decimals.
    *
    * @param copied the statistics of these stripes; none if orc-core does write the stripes
    */
  class CopiedStripesFile(
      stream: PartStream,
      options: WriterOptions,
      copied: Option[Seq[OrcProto.StripeStatistics]]
  ) extends PhysicalFsWriter(stream, options, Array.empty[WriterEncryptionVariant]) {

    override def writeStatistics(name: StreamName, column: OrcProto.ColumnStatistics.Builder): Unit = {
      if (name.getKind == OrcProto.Stream.Kind.FILE_STATISTICS && column.hasDecimalStatistics)
        copied.foreach { stripes =>
          val decimal = column.getDecimalStatisticsBuilder
          val schema  = options.getSchema.findSubtype(name.getColumn)
          CopiedStripesFile.sum(stripes, schema).fold(decimal.clearSum())(decimal.setSum): Unit
        }
      super.writeStatistics(name, column)
    }

    override def flush(): Unit = ()
  }

  private object CopiedStripesFile {

    /** Returns the sum of a decimal column; `None` if unknown, or if the sum has too many digits for a
      * decimal.
      *
      * For columns of at most 18 digits, orc-core adds up to 18 digits. Beyond this limit, orc-core reports a
      * partial sum as the total. Readers ignore such a sum. A merge of stripes turns such a sum into 0, which
      * readers do not ignore.
      *
      * @param stripes all stripes of the file
      */
    def sum(stripes: Seq[OrcProto.StripeStatistics], column: TypeDescription): Option[String] = {
      val parts =
        stripes.map(_.getColStats(column.getId)).filter(_.getNumberOfValues > 0).map(_.getDecimalStatistics)
      val sums = parts.filter(_.hasSum).map(part => new JBigDecimal(part.getSum))
      if (sums.size == parts.size && sums.forall(isOfAllRows(_, column))) plain(sums) else None
    }

    private def isOfAllRows(sum: JBigDecimal, column: TypeDescription): Boolean =
      column.getPrecision > MAX_DECIMAL64_PRECISION ||
        sum.abs.movePointRight(column.getScale).compareTo(Limit) < 0

    private def plain(sums: Seq[JBigDecimal]): Option[String] =
      Some(sums.fold(JBigDecimal.ZERO)(_.add(_)).round(Digits))
        .filter(sum => sum.precision - sum.scale <= Digits.getPrecision)
        .map(_.stripTrailingZeros.toPlainString)

    private val Limit = JBigDecimal.TEN.pow(MAX_DECIMAL64_PRECISION)

    // The same precision and rounding as in orc-core.
    private val Digits = new MathContext(38, RoundingMode.HALF_UP)
  }
}
