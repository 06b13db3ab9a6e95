// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.commit._
import stoplog.part.{Open, Pending}
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.RollingPolicy
import stoplog.thread.SharedMemory
import stoplog.writing.{BadRow, OnBadRow, PartFormat, TaskWriters}

/** Parts of blocks in memory, and the epochs of one task that write to them. */
final class BulkWorld(
    blockBytes: Long,
    policy: RollingPolicy = Rolls.never,
    val memory: SharedMemory = new SharedMemory(1L << 30),
    bulk: Long => BlockFormat = new LinesInBlocks(_),
    onBadRow: OnBadRow = OnBadRow.Fail,
    mostInBlocks: Option[Long] = None,
    heapBytes: Long = Runtime.getRuntime.maxMemory
) {
  val parts            = new MemoryParts
  val spoolFiles       = new MemorySpoolFiles
  private val clock    = new ManualClock(0)
  private val schema   = new StructType().add("value", StringType)
  private var nextPart = 0L
  var open             = Vector.empty[Open]
  var closed           = Vector.empty[Pending]
  var next             = 0
  var blocksOf         = blockBytes

  def format(life: PartLife = PartLife.ManyEpochs): BulkParts = {
    val sink = BulkSink(BulkSink.UserFormat.Kind, schema, bulk(blocksOf), life)
    new BulkParts(sink, row => row, spoolFiles, onBadRow, memory, mostInBlocks, heapBytes)
  }

  /** An epoch of a task of its own, in a process of its own as far as the format can tell. Rows that are refused are left
    * out, if they are to be.
    */
  def epoch(
      rows: Int,
      attempt: Attempt = Attempt.First,
      life: PartLife = PartLife.ManyEpochs,
      bucket: Int => String = _ => "b",
      text: Int => String = n => s"row $n"
  ): TaskResult = {
    val plan   = EpochPlan(Samples.mine, 0, None, 1, Map(0 -> open), nextPart).forTask(0, attempt)
    val writer = TaskWriters.of(plan, parts, format(life), policy, clock, spoolFiles, suffix = ".blocks")
    val result =
      try {
        (1 to rows).foreach { _ =>
          try writer.write(bucket(next), InternalRow(UTF8String.fromString(text(next))))
          catch { case _: BadRow if onBadRow == OnBadRow.Reject => () }
          next += 1
        }
        writer.commit()
      } finally writer.close()
    open = result.open.map(part => stoplog.log.RecordRoundTrip(part))
    closed ++= result.closed
    nextPart = result.nextPart
    result
  }

  def onlyOpen: Open = open match {
    case Vector(part) => part
    case other        => throw new AssertionError(s"open: $other")
  }

  /** As the driver does it. */
  def end(): Vector[Vector[String]] = LinesInBlocks.read(endOf(onlyOpen, format()))

  def endOf(part: Open, format: PartFormat[_]): String =
    parts.content(PartWriting.end(part, format, parts).token)
}
