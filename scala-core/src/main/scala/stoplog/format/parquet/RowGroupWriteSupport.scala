// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.{FinalizedWriteContext, WriteContext}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport

/** Spark's write support, which tells the file when the last page has been written. */
private[parquet] final class RowGroupWriteSupport(file: RowGroupFile) extends WriteSupport[InternalRow] {

  private val spark = new ParquetWriteSupport

  override def init(conf: Configuration): WriteContext = spark.init(conf)

  override def prepareForWrite(consumer: RecordConsumer): Unit = spark.prepareForWrite(consumer)

  override def write(row: InternalRow): Unit = spark.write(row)

  override def getName: String = spark.getName

  override def finalizeWrite(): FinalizedWriteContext = {
    file.endPages()
    spark.finalizeWrite()
  }
}
