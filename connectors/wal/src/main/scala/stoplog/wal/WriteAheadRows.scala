// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.sink._

/** Rows of each epoch go to files of the sink's log; the record of the epoch decides that they are sent; then they are sent,
  * file by file, by tasks of their own.
  */
private[wal] final class WriteAheadRows(
    options: WriteAheadOptions,
    schema: StructType,
    place: LogPlace
) extends TwoPhaseSink[InternalRow] {

  override def target: String = options.sender.target(options.passed)

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] =
    new ChunkWriter(schema, place, task, ChunkWriter.queryOf(task))

  override def committer(): TwoPhaseCommitter = {
    val passed = options.passed
    options.committers.prepare(passed, place)
    val chunks = new ChunkSender(options, place, () => Faults.ofThisJvm)
    new ChunkCommitter(
      ChunkCommitter.inTask(SparkSession.active.sparkContext, chunks),
      options.committers.open(passed, place),
      options.sender.times(passed),
      place,
      ChunkCommitter.turnsOfThisJvm
    )
  }
}
