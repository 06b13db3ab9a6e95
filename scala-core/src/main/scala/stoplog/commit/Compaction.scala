// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, SinkState}
import stoplog.part.{FinishedPart, PartRows, Pending, Publish}
import stoplog.storage.{NewPart, ReplacedFiles}

/** Compacts small finished parts on the driver, between epochs. Called with the driver lock held (I4). */
private[stoplog] trait Compaction {

  /** Returns the state, extended by the compaction candidates among the parts of the next record. */
  def noting(state: SinkState, publish: Vector[Pending]): SinkState

  /** Returns the outcome of a finished compaction, or starts a compaction that is due. Never blocks and never
    * throws: if a compaction fails, its parts stay unchanged.
    *
    * @param closing whether a bucket gets no more rows, so that its parts do not wait for others
    */
  def next(state: SinkState, closing: String => Boolean): Compaction.Next

  /** Returns whether a bucket has parts in a running compaction, or parts to compact after its last row.
    *
    * @param publishing the buckets of the parts that the next record publishes
    */
  def holds(state: SinkState, publishing: Set[String]): String => Boolean

  /** Returns whether a compaction was started whose outcome [[next]] has not returned yet. */
  def isCompacting: Boolean

  /** Blocks until the started compaction has ended. */
  def await(): Unit
}

private[stoplog] object Compaction {

  /** @param state       the state to continue with
    * @param replacement the replacement to record with this state; `None` if there is none
    */
  final case class Next(state: SinkState, replacement: Option[Replaced])

  /** A compacted part and the parts that the compacted part replaces. */
  final case class Replaced(compacted: Pending, inputs: ReplacedSet)

  /** Disables compaction: published parts stay unchanged. */
  case object Off extends Compaction {
    override def noting(state: SinkState, publish: Vector[Pending]): SinkState =
      if (state.small.isEmpty) state else state.copy(small = Vector.empty)

    override def next(state: SinkState, closing: String => Boolean): Next            = Next(state, None)
    override def holds(state: SinkState, publishing: Set[String]): String => Boolean = _ => false
    override def isCompacting: Boolean                                               = false
    override def await(): Unit                                                       = ()
  }

  /** The roll reason of a compacted part in a record. */
  private[commit] val Reason = stoplog.rolling.RollReason.Custom(LogRecord.CompactionReason)
}

/** Rewrites several finished parts as one part, outside the threads of the protocol. */
private[stoplog] trait CompactionRunner {

  /** Starts a compaction and returns immediately. */
  def start(task: CompactionTask): RunningCompaction
}

/** @param inputs two or more finished parts of one bucket with the same columns; the rows keep this order
  * @param part   the name of the compacted part
  */
private[stoplog] final case class CompactionTask(inputs: Vector[FinishedPart], part: NewPart) {

  /** Returns the entry of the compacted part in a record. */
  private[commit] def pending(compacted: CompactedPart, nowMillis: Long): Pending = Pending(
    part.bucket,
    part.name,
    compacted.handle,
    compacted.sizeBytes,
    PartRows(count = inputs.map(_.records).sum, nowMillis, nowMillis, inputs.head.schema),
    Compaction.Reason
  )

  /** Returns the inputs that are gone or have another size: readers may move or delete finished files. */
  private[commit] def changed(finished: ReplacedFiles): Vector[FinishedPart] =
    inputs.filterNot(part => finished.sizeBytes(part.path).contains(part.sizeBytes))
}

/** A started compaction. */
private[stoplog] trait RunningCompaction {

  /** Returns the outcome; `None` while the compaction runs. */
  def result: Option[Either[Throwable, CompactedPart]]

  /** Blocks until the outcome is available. */
  def await(): Unit
}

/** A durable part with the rows of all inputs, not yet visible to readers. */
private[stoplog] final case class CompactedPart(handle: Publish, sizeBytes: Long)
