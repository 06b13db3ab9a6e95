// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.impl.RecordReaderImpl
import org.apache.orc.util.{BloomFilter, BloomFilterIO}

/** The bloom filters of a file. */
object BloomFilters {

  /** Those of a column, by stripe and by group of rows of the index. */
  def of(path: Path, column: Int): Seq[Seq[BloomFilter]] = {
    val orc     = OrcParts.reader(path)
    val kind    = orc.getSchema.findSubtype(column).getCategory
    val columns = Array.tabulate(orc.getSchema.getMaximumId + 1)(_ == column)
    val rows    = orc.rows().asInstanceOf[RecordReaderImpl]
    try
      orc.getStripes.asScala.indices.map { stripe =>
        val index = rows.readRowIndex(stripe, columns, columns)
        val as    = index.getBloomFilterKinds()(column)
        index
          .getBloomFilterIndex()(column)
          .getBloomFilterList
          .asScala
          .toSeq
          .map(BloomFilterIO.deserialize(as, Encoding, orc.getWriterVersion, kind, _))
      }
    finally rows.close()
  }

  private val Encoding =
    ColumnEncoding.newBuilder().setKind(ColumnEncoding.Kind.DIRECT).setBloomEncoding(1).build()
}
