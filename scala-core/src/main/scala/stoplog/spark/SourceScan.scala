// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.{EnumSet => JEnumSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.vectorized.ColumnarBatch

import stoplog.checkpoint.{CheckpointFiles, SourceState}
import stoplog.engine.Dataset
import stoplog.error.Described
import stoplog.format.read.SparkBlocks.Vectors
import stoplog.format.read.{InputFile, RowSource}
import stoplog.options.{SourceOptions, SparkHadoop, SparkOptions}
import stoplog.source._

/** One read of a source, for a streaming or a batch query.
  *
  * @param source the source of a streaming query
  * @param once   the source of a batch query
  */
private[spark] class SourceScan[S <: Split](
    source: SplitSource[S, _, InternalRow],
    once: SplitSource[S, _, InternalRow],
    schema: StructType,
    limits: ReadLimits,
    vectors: Vectors
) extends Scan {
  import SourceScan.{SplitBytes, SplitReaders}

  override def readSchema(): StructType = schema

  override def description(): String = SourceScan.nameOf(source)

  /** Returns the read files for lineage tools; none if the source does not read files. */
  def datasets: Seq[Dataset] = Nil

  /** @param checkpointLocation the directory of only this source: `<checkpoint>/sources/<n>`
    */
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    new SourceStream(
      source,
      SourceState.in(checkpointLocation, SparkHadoop.configuration),
      limits,
      tasks,
      vectors,
      () => CheckpointFiles.committedOffset(checkpointLocation, SparkHadoop.configuration)
    )

  /** The splits of a batch query, listed once for both plan and tasks. */
  protected lazy val splits: Vector[S] = SourceDriver.all(once, StateFiles.None)

  override def toBatch: Batch = new Batch {
    private lazy val partitions = SplitBytes.pack(splits.iterator, once, tasks)

    override def planInputPartitions(): Array[InputPartition] = partitions

    override def createReaderFactory(): PartitionReaderFactory = new SplitReaders(once, vectors)
  }

  private def tasks: Int = SparkSession.active.sparkContext.defaultParallelism
}

private[stoplog] object SourceScan {

  /** Returns the description of a source for plans and progress. */
  private[spark] def nameOf(source: SplitSource[_ <: Split, _, _]): String =
    Described.as("stoplog source")(Described.named(source.describe))

  /** A user-defined source as a readable table. */
  private[spark] final class UserSourceTable(
      source: RowSource,
      rows: StructType,
      options: JMap[String, String]
  ) extends SupportsRead {
    private val limits = SourceOptions.limits(options)
    private val open   = source.open(SparkOptions.caseless(options), rows)

    override def name(): String = nameOf(open)

    override def schema(): StructType = rows

    override def capabilities(): JSet[TableCapability] =
      JEnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ)

    override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
      () => scan(open)

    private def scan[S <: Split](open: SplitSource[S, _, InternalRow]): Scan =
      new SourceScan(open, open, rows, limits, Vectors.Rows)
  }

  /** Creates readers for a task's splits. Serialized to the executors.
    *
    * @param vectors whether the rows of the source are column batches, as in Spark's own readers
    */
  final class SplitReaders[S <: Split](
      source: SplitSource[S, _, InternalRow],
      vectors: Vectors = Vectors.Rows
  ) extends PartitionReaderFactory {

    override def supportColumnarReads(partition: InputPartition): Boolean = vectors == Vectors.Columns

    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      reader(source, bytes(partition))

    override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
      reader(source.asInstanceOf[SplitSource[S, AnyRef, ColumnarBatch]], bytes(partition))

    private def bytes(partition: InputPartition): SplitBytes = partition match {
      case bytes: SplitBytes => bytes
      case other             =>
        throw new IllegalArgumentException(s"$other is not a partition of this source")
    }

    private def reader[R, T](source: SplitSource[S, R, T], bytes: SplitBytes): PartitionReader[T] = {
      val loop = new ReadLoop(source, bytes.splits(source.splits))
      new PartitionReader[T] {
        override def next(): Boolean = loop.next()
        override def get(): T        = loop.row
        override def close(): Unit   =
          try loop.close()
          finally InputFile.over()
      }
    }
  }

  /** The splits of one task, serialized with the source's serializer.
    *
    * @param hosts the preferred hosts of the task
    */
  final case class SplitBytes(version: Int, count: Int, bytes: Array[Byte], hosts: Seq[String])
      extends InputPartition {
    override def preferredLocations(): Array[String] = hosts.toArray

    def splits[S](serializer: VersionedSerializer[S]): Vector[S] = {
      val in = new DataInputStream(new ByteArrayInputStream(bytes))
      Vector.fill(count)(serializer.read(version, in))
    }
  }

  object SplitBytes {

    /** Packs the splits of one micro-batch, or batch query, into partitions for tasks. */
    def pack[S <: Split](
        splits: Iterator[S],
        source: SplitSource[S, _, InternalRow],
        tasks: Int
    ): Array[InputPartition] =
      Packing
        .pack(splits, source, tasks, Packing.Sizes.default)
        .map(of(_, source.splits): InputPartition)
        .toArray
    def of[S](splits: Seq[S], serializer: VersionedSerializer[S], hosts: Seq[String] = Nil): SplitBytes = {
      val bytes = new ByteArrayOutputStream()
      val out   = new DataOutputStream(bytes)
      splits.foreach(serializer.write(_, out))
      out.flush()
      SplitBytes(serializer.version, splits.size, bytes.toByteArray, hosts)
    }
  }
}
