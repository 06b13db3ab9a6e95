// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.write.{LogicalWriteInfo, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

import stoplog.bucket.Bucketing
import stoplog.error.Errors

/** Planning only: Spark may build a write and then not carry it out. */
private[spark] final class SinkWriteBuilder(table: SinkTable, info: LogicalWriteInfo)
    extends SupportsTruncate
    with SupportsStreamingUpdateAsAppend {

  override def truncate(): WriteBuilder = {
    refuseSomePartitions()
    new WriteBuilder {
      override def build(): Write = SinkWrite(table, info, Existing.Replace)
    }
  }

  override def build(): Write = SinkWrite(table, info, Existing.Keep)

  /** Spark asks for an overwrite of everything, also where its own formats would keep the partitions without new rows. */
  private def refuseSomePartitions(): Unit = table.options.buckets.bucketing match {
    case _: Bucketing.PartitionColumns
        if SQLConf.get.partitionOverwriteMode == PartitionOverwriteMode.DYNAMIC =>
      throw Errors.invalidOptions(
        Seq(
          "spark.sql.sources.partitionOverwriteMode = 'dynamic' would keep the partitions that get no row, and mode " +
            "overwrite replaces all that is under the path: set it to static; or delete what is to be replaced, and append."
        )
      )
    case _ => ()
  }
}

/** What becomes of the rows that are there already. */
private[spark] sealed trait Existing
private[spark] object Existing {
  case object Keep    extends Existing
  case object Replace extends Existing
}
