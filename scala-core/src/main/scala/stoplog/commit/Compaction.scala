// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, SinkState}
import stoplog.part.{FinishedPart, Pending, Publish}
import stoplog.storage.{NewPart, ReplacedFiles}

/** Merges small finished parts on the driver, between its epochs. Called with the lock held (I4). */
private[stoplog] trait Compaction {

  /** The state with the parts that a record is about to publish, as far as they may be merged later. */
  def noting(state: SinkState, publish: Vector[Pending]): SinkState

  /** The outcome of a merge that is over, or else the start of one that is due. Never waits, and never fails: what
    * cannot be merged stays as it is.
    *
    * @param closing whether a bucket gets no more rows, so that its parts wait for no others
    */
  def next(state: SinkState, closing: String => Boolean): Compaction.Next

  /** The buckets that have parts which are merged, or are to be merged as soon as they get no more rows.
    *
    * @param publishing the buckets of the parts that the next record publishes
    */
  def holds(state: SinkState, publishing: Set[String]): String => Boolean

  /** Whether a merge has been started whose outcome [[next]] has not answered. */
  def isMerging: Boolean

  /** Returns once the merge that was started is over. */
  def await(): Unit
}

private[stoplog] object Compaction {

  /** @param state       to go on with
    * @param replacement to be recorded with it; `None` if nothing is
    */
  final case class Next(state: SinkState, replacement: Option[Replaced])

  /** A merged part, and those that it takes the place of. */
  final case class Replaced(merged: Pending, inputs: ReplacedSet)

  /** Parts stay as they were published. */
  case object Off extends Compaction {
    override def noting(state: SinkState, publish: Vector[Pending]): SinkState =
      if (state.small.isEmpty) state else state.copy(small = Vector.empty)

    override def next(state: SinkState, closing: String => Boolean): Next            = Next(state, None)
    override def holds(state: SinkState, publishing: Set[String]): String => Boolean = _ => false
    override def isMerging: Boolean                                                  = false
    override def await(): Unit                                                       = ()
  }

  /** The reason under which a merged part is recorded. */
  private[commit] val Reason = stoplog.rolling.RollReason.Custom(LogRecord.MergeReason)
}

/** Writes the rows of several finished parts to one, apart from the threads of the protocol. */
private[stoplog] trait Merger {

  /** Begins, and returns at once. */
  def start(merge: Merge): Merging
}

/** @param inputs two finished parts or more, of one bucket and with the same columns; their rows stay in this order
  * @param part   what the part with all the rows is called
  */
private[stoplog] final case class Merge(inputs: Vector[FinishedPart], part: NewPart) {

  /** The merged part, as a record names it. */
  private[commit] def pending(merged: Merged, nowMillis: Long): Pending = Pending(
    part.bucket,
    part.name,
    merged.handle,
    merged.sizeBytes,
    inputs.map(_.records).sum,
    nowMillis,
    nowMillis,
    Compaction.Reason,
    inputs.head.schema
  )

  /** The inputs that are not there any more as they were: readers may do with them as they like. */
  private[commit] def changed(finished: ReplacedFiles): Vector[FinishedPart] =
    inputs.filterNot(part => finished.sizeBytes(part.path).contains(part.sizeBytes))
}

/** A merge that was started. */
private[stoplog] trait Merging {

  /** The outcome; `None` while the merge goes on. */
  def result: Option[Either[Throwable, Merged]]

  /** Returns once there is a result. */
  def await(): Unit
}

/** A durable part that no reader sees yet, with the rows of all inputs. */
private[stoplog] final case class Merged(handle: Publish, sizeBytes: Long)
