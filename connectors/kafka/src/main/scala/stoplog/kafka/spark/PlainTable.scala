// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.{EnumSet => JEnumSet, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.types.StructType

import stoplog.kafka.options.KafkaSinkOptions

/** Delivery `none` and `at-least-once`: nothing is left to do for the driver. */
private[kafka] final class PlainTable(rows: StructType, options: KafkaSinkOptions) extends SupportsWrite {

  override def name(): String = s"stoplog ${Targets.name(options)}"

  override def schema(): StructType = rows

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.STREAMING_WRITE,
    TableCapability.BATCH_WRITE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new SupportsStreamingUpdateAsAppend {
    override def build(): Write = new PlainWrite(PlainTable.this.name(), options, info)
  }

  override def toString: String = name()
}

private final class PlainWrite(target: String, options: KafkaSinkOptions, info: LogicalWriteInfo)
    extends Write {
  // On the driver, so that a schema that will not do is refused before there are tasks.
  private def factory = new PlainFactory(options, RecordColumns.of(info.schema(), options.topic))

  override def description(): String = target

  override def toStreaming(): StreamingWrite = new StreamingWrite {
    override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory =
      factory
    override def useCommitCoordinator(): Boolean                                   = false
    override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()
    override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit  = ()
    override def toString: String                                                  = target
  }

  override def toBatch(): BatchWrite = new BatchWrite {
    override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory = factory
    override def useCommitCoordinator(): Boolean                                          = false
    override def commit(messages: Array[WriterCommitMessage]): Unit                       = ()
    override def abort(messages: Array[WriterCommitMessage]): Unit                        = ()
    override def toString: String                                                         = target
  }
}

/** Goes to the executors. */
private final class PlainFactory(options: KafkaSinkOptions, columns: RecordColumns)
    extends StreamingDataWriterFactory
    with DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    createWriter(partitionId, taskId)

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new PlainWriter(options.producer, columns, options.delivery)
}
