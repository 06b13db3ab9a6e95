// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.OrcProto
import org.apache.orc.impl.{PhysicalFsWriter, StreamName}
import org.apache.orc.impl.ReaderImpl.StripeInformationImpl
import org.apache.orc.impl.writer.WriterEncryptionVariant
import org.apache.spark.sql.execution.datasources.orc.OrcUtils

import stoplog.part.BlockOutput

/** The end of an ORC file: the stripes' statistics, the footer, the postscript. */
private[orc] object Tail {

  /** orc-core is told of the stripes as if it copied them from other files, so that it makes one statistic of theirs. */
  def write(out: BlockOutput, directory: StripeDirectory, writing: OrcWriting): Unit = {
    val file   = new TailFile(out, directory, writing.options)
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
}

/** A file whose stripes are there already. */
private final class TailFile(
    stream: PartStream,
    isEmpty: Boolean,
    stripes: Seq[Stripe],
    options: WriterOptions
) extends PhysicalFsWriter(stream, options, Array.empty[WriterEncryptionVariant]) {

  def this(out: BlockOutput, directory: StripeDirectory, options: WriterOptions) =
    this(new PartStream(out), out.position == 0, directory.stripes, options)

  private val offsets = stripes.iterator.map(_.place.getOffset)

  override def writeHeader(): Unit =
    if (isEmpty) super.writeHeader() else stream.pretendingEmpty(super.writeHeader())

  override def appendRawStripe(stripe: ByteBuffer, place: OrcProto.StripeInformation.Builder): Unit = {
    super.appendRawStripe(ByteBuffer.allocate(0), place)
    place.setOffset(offsets.next()): Unit
  }

  override def writeStatistics(name: StreamName, column: OrcProto.ColumnStatistics.Builder): Unit = {
    if (name.getKind == OrcProto.Stream.Kind.FILE_STATISTICS && column.hasDecimalStatistics) {
      val decimal = column.getDecimalStatisticsBuilder
      DecimalSums
        .of(stripes.map(_.statistics), options.getSchema.findSubtype(name.getColumn))
        .fold(decimal.clearSum())(decimal.setSum): Unit
    }
    super.writeStatistics(name, column)
  }

  override def flush(): Unit = ()
}
