// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.US_ASCII

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.orc.{OrcFile, OrcProto}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.impl.{PhysicalFsWriter, StreamName}
import org.apache.orc.impl.writer.WriterEncryptionVariant

import stoplog.part.BlockOutput

/** A file for orc-core, of which a single stripe is written to the part after [[release]]. */
private[orc] final class StripeFile(out: BlockOutput, options: WriterOptions)
    extends PhysicalFsWriter(new PartStream(out), options, Array.empty[WriterEncryptionVariant]) {

  private var isReleased = false
  private var finished   = Option.empty[(OrcProto.StripeInformation, Seq[ColumnEncoding])]
  private var statistics = SortedMap.empty[Int, OrcProto.ColumnStatistics]

  /** Allows later writes of the stripe to the part. */
  def release(): Unit = isReleased = true

  /** Returns the stripes of the part now: one more than `before`, unless the stripe has no rows. */
  def addedTo(before: StripeDirectory): StripeDirectory = finished.fold(before) { case (place, encodings) =>
    val columns = OrcProto.StripeStatistics.newBuilder().addAllColStats(statistics.values.asJava)
    StripeDirectory(before.stripes :+ StripeDirectory.Stripe(place, columns.build()), encodings)
  }

  // The magic is written with the stripe.
  override def writeHeader(): Unit = ()

  override def finalizeStripe(
      footer: OrcProto.StripeFooter.Builder,
      place: OrcProto.StripeInformation.Builder
  ): Unit = {
    // After a failed row, orc-core also ends the stripe, to leave a readable file. Such a block is given up.
    if (!isReleased) throw new IllegalStateException("This stripe cannot end yet.")
    if (out.position == 0) out.write(OrcFile.MAGIC.getBytes(US_ASCII))
    super.finalizeStripe(footer, place)
    finished = Some(place.build() -> footer.getColumnsList.asScala.toSeq)
  }

  override def writeStatistics(name: StreamName, column: OrcProto.ColumnStatistics.Builder): Unit =
    if (name.getKind == OrcProto.Stream.Kind.STRIPE_STATISTICS) statistics += name.getColumn -> column.build()

  override def writeFileMetadata(metadata: OrcProto.Metadata.Builder): Unit = ()

  override def writeFileFooter(footer: OrcProto.Footer.Builder): Unit = ()

  override def writePostScript(postScript: OrcProto.PostScript.Builder): Long = out.position

  override def flush(): Unit = ()
}

/** The end of a part as a stream for orc-core, with the part's position. Never closes the part. */
private[orc] final class PartStream private (target: PartStream.Target)
    extends FSDataOutputStream(target, null) {

  def this(out: BlockOutput) = this(new PartStream.Target(out))

  override def getPos: Long = target.position

  /** Runs `write` as if the part were empty, and discards all bytes from `write`. */
  def pretendingEmpty(write: => Unit): Unit = {
    target.pretended = Some(0)
    try write
    finally target.pretended = None
  }
}

private[orc] object PartStream {

  private final class Target(out: BlockOutput) extends OutputStream {

    var pretended: Option[Long] = None

    def position: Long = pretended.getOrElse(out.position)

    override def write(byte: Int): Unit = pretended match {
      case Some(position) => pretended = Some(position + 1)
      case None           => out.write(byte)
    }

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = pretended match {
      case Some(position) => pretended = Some(position + length)
      case None           => out.write(bytes, offset, length)
    }
  }
}

/** The stripes of a part so far, in order.
  *
  * @param encodings of the columns of the last stripe: a writer of a whole file uses no dictionary after
  *                  an earlier stripe without a dictionary
  */
private[orc] final case class StripeDirectory(
    stripes: Seq[StripeDirectory.Stripe],
    encodings: Seq[ColumnEncoding]
) {

  /** Returns the protobuf messages that an ORC file itself uses, each preceded by its length. */
  def bytes: Array[Byte] = {
    val out = new ByteArrayOutputStream
    OrcProto.Footer.newBuilder().addAllStripes(stripes.map(_.place).asJava).build().writeDelimitedTo(out)
    OrcProto.Metadata
      .newBuilder()
      .addAllStripeStats(stripes.map(_.statistics).asJava)
      .build()
      .writeDelimitedTo(out)
    OrcProto.StripeFooter.newBuilder().addAllColumns(encodings.asJava).build().writeDelimitedTo(out)
    out.toByteArray
  }
}

private[orc] object StripeDirectory {

  /** A stripe of a part: its position, and the statistics of its columns. */
  final case class Stripe(place: OrcProto.StripeInformation, statistics: OrcProto.StripeStatistics)

  def of(bytes: Array[Byte]): StripeDirectory =
    if (bytes.isEmpty) StripeDirectory(Nil, Nil)
    else {
      val in         = new ByteArrayInputStream(bytes)
      val places     = OrcProto.Footer.parser.parseDelimitedFrom(in).getStripesList.asScala
      val statistics = OrcProto.Metadata.parser.parseDelimitedFrom(in).getStripeStatsList.asScala
      val encodings  = OrcProto.StripeFooter.parser.parseDelimitedFrom(in).getColumnsList.asScala
      val stripes    = places.zip(statistics).map { case (place, columns) => Stripe(place, columns) }
      StripeDirectory(stripes.toSeq, encodings.toSeq)
    }
}
