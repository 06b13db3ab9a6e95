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
    sender: RowSender,
    committers: CheckpointCommitters,
    options: Map[String, String],
    schema: StructType,
    place: LogPlace
) extends TwoPhaseSink[InternalRow] {

  override def target: String = sender.target(Caseless(options))

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] =
    new ChunkWriter(schema, place, task, ChunkWriter.queryOf(task))

  override def committer(): TwoPhaseCommitter = {
    val asked = Caseless(options)
    committers.prepare(asked, place)
    val chunks = new ChunkSender(sender, committers, options, place, () => Faults.ofThisJvm)
    new ChunkCommitter(
      ChunkCommitter.inTask(SparkSession.active.sparkContext, chunks),
      committers.open(asked, place),
      sender.times(asked),
      place,
      ChunkCommitter.turnsOfThisJvm
    )
  }
}
