package stoplog.format.orc

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.orc.OrcProto

/** A stripe of a part: where it is, and what its columns hold. */
private[orc] final case class Stripe(place: OrcProto.StripeInformation, statistics: OrcProto.StripeStatistics)

/** The stripes of a part so far, in their order. */
private[orc] final case class StripeDirectory(stripes: Seq[Stripe]) {

  /** The same two messages that the end of an ORC file has for them, each with its length before it. */
  def bytes: Array[Byte] = {
    val out = new ByteArrayOutputStream
    OrcProto.Footer.newBuilder().addAllStripes(stripes.map(_.place).asJava).build().writeDelimitedTo(out)
    OrcProto.Metadata
      .newBuilder()
      .addAllStripeStats(stripes.map(_.statistics).asJava)
      .build()
      .writeDelimitedTo(out)
    out.toByteArray
  }
}

private[orc] object StripeDirectory {

  def of(bytes: Array[Byte]): StripeDirectory =
    if (bytes.isEmpty) StripeDirectory(Nil)
    else {
      val in         = new ByteArrayInputStream(bytes)
      val places     = OrcProto.Footer.parser.parseDelimitedFrom(in).getStripesList.asScala
      val statistics = OrcProto.Metadata.parser.parseDelimitedFrom(in).getStripeStatsList.asScala
      StripeDirectory(places.zip(statistics).map { case (place, columns) => Stripe(place, columns) }.toSeq)
    }
}
