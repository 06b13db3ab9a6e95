// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.orc.OrcProto
import org.apache.orc.OrcProto.ColumnEncoding

/** A stripe of a part: where it is, and what its columns hold. */
private[orc] final case class Stripe(place: OrcProto.StripeInformation, statistics: OrcProto.StripeStatistics)

/** The stripes of a part so far, in their order.
  *
  * @param encodings
  *   of the columns of the last stripe: a writer of a whole file would try no dictionary where it gave one up
  */
private[orc] final case class StripeDirectory(stripes: Seq[Stripe], encodings: Seq[ColumnEncoding]) {

  /** With one more stripe at its end. */
  def add(stripe: Stripe, encodings: Seq[ColumnEncoding]): StripeDirectory =
    StripeDirectory(stripes :+ stripe, encodings)

  /** The messages that an ORC file itself has for them, each with its length before it. */
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
