// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.ColumnarBatch

import stoplog.format.read.{InputFile, Vectors}
import stoplog.source.{ReadLoop, Split, SplitSource, VersionedSerializer}

/** Readers of a task's splits. Goes to the executors.
  *
  * @param vectors whether what the source calls rows are batches of columns, as Spark's own readers have it
  */
private[stoplog] final class SplitReaders[S <: Split](
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
    case other             => throw new IllegalArgumentException(s"$other is no partition of this source")
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

/** The splits of one task, as bytes of their own serializer.
  *
  * @param hosts on which the task had better run
  */
private[stoplog] final case class SplitBytes(version: Int, count: Int, bytes: Array[Byte], hosts: Seq[String])
    extends InputPartition {
  override def preferredLocations(): Array[String] = hosts.toArray

  def splits[S](serializer: VersionedSerializer[S]): Vector[S] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Vector.fill(count)(serializer.read(version, in))
  }
}

private[stoplog] object SplitBytes {
  def of[S](splits: Seq[S], serializer: VersionedSerializer[S], hosts: Seq[String] = Nil): SplitBytes = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    splits.foreach(serializer.write(_, out))
    out.flush()
    SplitBytes(serializer.version, splits.size, bytes.toByteArray, hosts)
  }
}
