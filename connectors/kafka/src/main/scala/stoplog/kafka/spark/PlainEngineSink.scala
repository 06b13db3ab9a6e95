// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.engine._
import stoplog.kafka.options.KafkaSinkOptions

/** Delivery `none` and `at-least-once`, as an engine's frame drives it: nothing is left to do for the driver. */
private[kafka] final class PlainEngineSink(override val columns: StructType, options: KafkaSinkOptions)
    extends EngineSink[StructType, InternalRow, Unit] {

  override def name: String = s"stoplog ${Targets.name(options)}"

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = Nil

  override def noCounts: Seq[(String, Long)] = Nil

  /** The driver refuses a schema that will not do before there are tasks. */
  override def plan(asked: WriteRequest[StructType]): EngineWrite[InternalRow, Unit] =
    new EngineWrite[InternalRow, Unit] {
      private def writers =
        new PlainWriterFactory(options, RecordColumns.of(asked.columns, options.topic))

      override def start(start: RunStart): EngineRun[InternalRow, Unit] = new EngineRun[InternalRow, Unit] {
        override def begin(epoch: EpochStart): SinkWriterFactory[InternalRow, Unit] = writers
        override def commit(batch: Long, results: Seq[Unit]): Unit                  = ()
        override def counts: Seq[(String, Long)]                                    = Nil
      }

      override def job(): EngineJob[InternalRow, Unit] = new EngineJob[InternalRow, Unit] {
        override def begin(slots: Int): SinkWriterFactory[InternalRow, Unit] = writers
        override def commit(results: Seq[Unit]): Unit                        = ()
        override def abort(results: Seq[Unit]): Unit                         = ()
      }
    }
}

/** Goes to the executors. */
private[spark] final class PlainWriterFactory(options: KafkaSinkOptions, columns: RecordColumns)
    extends SinkWriterFactory[InternalRow, Unit] {
  override def writer(task: TaskAttempt): Option[PlainWriter] =
    Some(new PlainWriter(options.producer, columns, options.delivery))
}
