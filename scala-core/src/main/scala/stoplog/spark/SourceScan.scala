// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType

import stoplog.error.Redaction
import stoplog.filesource.SourcePlaces
import stoplog.format.read.Vectors
import stoplog.source.{ReadLimits, SourceDriver, Split, SplitSource}
import stoplog.source.StateFiles

/** One read of a source, for a streaming or a batch query. */
private[spark] class SourceScan[S <: Split](
    source: SplitSource[S, _, InternalRow],
    schema: StructType,
    limits: ReadLimits,
    vectors: Vectors
) extends Scan {

  override def readSchema(): StructType = schema

  override def description(): String = Redaction.text(source.describe)

  /** @param checkpointLocation of this source alone: `<checkpoint>/sources/<n>` */
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    new SourceStream(source, SourcePlaces.state(checkpointLocation), limits, tasks, vectors)

  /** The splits of a batch query: listed once for its plan and its tasks. */
  protected lazy val splits: Vector[S] = SourceDriver.all(source, StateFiles.None)

  override def toBatch: Batch = new Batch {
    private lazy val partitions = SplitPartitions.of(splits.iterator, source, tasks)

    override def planInputPartitions(): Array[InputPartition] = partitions

    override def createReaderFactory(): PartitionReaderFactory = new SplitReaders(source, vectors)
  }

  private def tasks: Int = SparkSession.active.sparkContext.defaultParallelism
}
