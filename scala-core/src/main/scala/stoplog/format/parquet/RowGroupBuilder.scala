// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.spark.sql.catalyst.InternalRow

/** parquet-hadoop's builder of writers, for Spark's rows. */
private[parquet] final class RowGroupBuilder private (file: RowGroupFile)
    extends ParquetWriter.Builder[InternalRow, RowGroupBuilder](file) {

  override protected def self(): RowGroupBuilder = this

  override protected def getWriteSupport(conf: Configuration): WriteSupport[InternalRow] =
    new RowGroupWriteSupport(file)
}

private[parquet] object RowGroupBuilder {

  def apply(file: RowGroupFile, conf: Configuration, metadata: Map[String, String]): RowGroupBuilder =
    WriterProperties(conf)
      .applied[InternalRow, RowGroupBuilder](new RowGroupBuilder(file))
      .withConf(conf)
      .withRowGroupSize(OutOfReach)
      .withExtraMetaData(metadata.asJava)

  // A row group ends when it is told to. Not the greatest number, since the writer adds to it.
  private val OutOfReach = 1L << 50
}
