// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{OptionalLong => JOptionalLong}

import org.apache.spark.sql.connector.read.{Statistics, SupportsReportStatistics}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import stoplog.error.Redaction
import stoplog.options.SourceOptions

/** One read of files.
  *
  * @param columns that there are
  * @param wanted  those of them that the query wants
  */
private[spark] final class FileScan(
    read: FileRead,
    options: SourceOptions,
    columns: StructType,
    wanted: StructType
) extends SourceScan(read.source, wanted, options.limits, read.vectors)
    with SupportsReportStatistics {
  @volatile private var size: () => JOptionalLong = () => JOptionalLong.of(sizeInBytes)

  override def description(): String = Redaction.text(
    s"${super.description()} PartitionFilters: ${shown(read.filters.directories)}, " +
      s"PushedFilters: ${shown(read.filters.blocks)}"
  )

  /** What a stream will read is not known: to list all files in each micro-batch would be no help. */
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    size = () => JOptionalLong.empty()
    super.toMicroBatchStream(checkpointLocation)
  }

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): JOptionalLong = size()
    override def numRows(): JOptionalLong     = JOptionalLong.empty()
  }

  /** Of the columns that are wanted, as Spark's own file sources estimate it. */
  private def sizeInBytes: Long = {
    val share = wanted.defaultSize.toDouble / columns.defaultSize.max(1)
    (SQLConf.get.fileCompressionFactor * splits.map(_.size.bytes).sum * share).round.max(1)
  }

  private def shown(filters: Seq[Filter]): String = filters.mkString("[", ", ", "]")
}

/** Which of a query's filters leave out directories, and which blocks of files. Spark looks at the rows all the same. */
private[spark] final case class PushedFilters(directories: Seq[Filter], blocks: Seq[Filter])
