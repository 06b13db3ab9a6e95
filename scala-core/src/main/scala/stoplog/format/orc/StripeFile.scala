// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.charset.StandardCharsets.US_ASCII
import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import org.apache.orc.{OrcFile, OrcProto}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.impl.{PhysicalFsWriter, StreamName}
import org.apache.orc.impl.writer.WriterEncryptionVariant

import stoplog.part.BlockOutput

/** What orc-core takes for a file, of which one stripe reaches the part, and that when it is allowed to. */
private[orc] final class StripeFile(out: BlockOutput, options: WriterOptions)
    extends PhysicalFsWriter(new PartStream(out), options, Array.empty[WriterEncryptionVariant]) {

  private var isReleased                                            = false
  private var finished: Option[StripeFile.Finished]                 = None
  private var statistics: SortedMap[Int, OrcProto.ColumnStatistics] = SortedMap.empty

  /** Lets the stripe reach the part, from now on. */
  def release(): Unit = isReleased = true

  /** What the part has now: one stripe more, if there was a row in it. */
  def addedTo(before: StripeDirectory): StripeDirectory = finished.fold(before) { stripe =>
    val columns = OrcProto.StripeStatistics.newBuilder().addAllColStats(statistics.values.asJava)
    before.add(Stripe(stripe.place, columns.build()), stripe.encodings)
  }

  // The magic waits for the stripe.
  override def writeHeader(): Unit = ()

  override def finalizeStripe(
      footer: OrcProto.StripeFooter.Builder,
      place: OrcProto.StripeInformation.Builder
  ): Unit = {
    // orc-core ends stripes also when a row fails, to leave a file that can be read. Such a block is given up.
    if (!isReleased) throw new IllegalStateException("This stripe is not to be ended yet.")
    if (out.position == 0) out.write(OrcFile.MAGIC.getBytes(US_ASCII))
    super.finalizeStripe(footer, place)
    finished = Some(StripeFile.Finished(place.build(), footer.getColumnsList.asScala.toSeq))
  }

  override def writeStatistics(name: StreamName, column: OrcProto.ColumnStatistics.Builder): Unit =
    if (name.getKind == OrcProto.Stream.Kind.STRIPE_STATISTICS) statistics += name.getColumn -> column.build()

  override def writeFileMetadata(metadata: OrcProto.Metadata.Builder): Unit = ()

  override def writeFileFooter(footer: OrcProto.Footer.Builder): Unit = ()

  override def writePostScript(postScript: OrcProto.PostScript.Builder): Long = out.position

  override def flush(): Unit = ()
}

private[orc] object StripeFile {

  private final case class Finished(
      place: OrcProto.StripeInformation,
      encodings: Seq[OrcProto.ColumnEncoding]
  )
}
