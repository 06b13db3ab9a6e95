// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType

import stoplog.cassandra.TableInfo
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.read._
import stoplog.source.{ReadLoop, SourceDriver}
import stoplog.source.StateFiles

/** Columns and conditions of one query, as Spark hands them down. */
private[spark] final class CassandraScanBuilder(table: TableInfo, options: CassandraOptions)
    extends SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters {
  private val all      = ReadColumns.of(table, options)
  private var columns  = all
  private var pushdown = KeyPushdown.nothing

  override def pruneColumns(required: StructType): Unit = columns = all.pruned(required)

  /** All of them stay with Spark as well. */
  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    pushdown = KeyPushdown.of(table, all, predicates.toSeq)
    predicates
  }

  override def pushedPredicates(): Array[Predicate] = pushdown.pushed.toArray

  override def build(): Scan =
    new CassandraScan(ReadQuery.of(table, columns, pushdown.within, options), pushdown)
}

/** A batch query. */
private[spark] final class CassandraScan(query: ReadQuery, pushdown: KeyPushdown) extends Scan with Batch {
  private lazy val partitions = {
    val source = new CassandraSplitSource(query, pushdown.keys, tasks)
    SplitGroups
      .of(SourceDriver.all(source, StateFiles.None), query.options.read.maxSplitBytes)
      .map(SplitPartition.of)
  }

  override def readSchema(): StructType = query.rows

  override def description(): String =
    s"stoplog-cassandra ${query.table} PushedKeys: [${pushdown.pushed.mkString(", ")}]"

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = partitions.toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new SplitReaderFactory(new CassandraSplitSource(query, PartitionKeys.All, tasks))

  private def tasks: Int = SparkSession.active.sparkContext.defaultParallelism
}

/** The splits of one task, as bytes of their own serializer.
  *
  * @param hosts where the task had better run
  */
private[spark] final case class SplitPartition(count: Int, bytes: Array[Byte], hosts: Vector[String])
    extends InputPartition {
  override def preferredLocations(): Array[String] = hosts.toArray

  def splits: Vector[CassandraSplit] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Vector.fill(count)(CassandraSplits.read(CassandraSplits.version, in))
  }
}

private[spark] object SplitPartition {
  def of(splits: Vector[CassandraSplit]): SplitPartition = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    splits.foreach(CassandraSplits.write(_, out))
    SplitPartition(splits.size, bytes.toByteArray, SplitGroups.hosts(splits.head))
  }
}

/** Goes to the executors, and makes each task's reader there. */
private[spark] final class SplitReaderFactory(source: CassandraSplitSource) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case mine: SplitPartition =>
      val loop = new ReadLoop(source, mine.splits)
      new PartitionReader[InternalRow] {
        override def next(): Boolean    = loop.next()
        override def get(): InternalRow = loop.row
        override def close(): Unit      = loop.close()
      }
    case other => throw new IllegalArgumentException(s"$other is no partition of this source")
  }
}
