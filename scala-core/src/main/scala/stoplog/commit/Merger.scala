// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.{Closed, FinishedPart, Pending}
import stoplog.storage.{NewPart, ReplacedFiles}

/** Writes the rows of several finished parts to one, apart from the threads of the protocol. */
trait Merger {

  /** Begins, and returns at once. */
  def start(merge: Merge): Merging
}

/** @param inputs two finished parts or more, of one bucket and with the same columns; their rows stay in this order
  * @param part   what the part with all the rows is called
  */
final case class Merge(inputs: Vector[FinishedPart], part: NewPart) {

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
trait Merging {

  /** How it ended; `None` while it goes on. */
  def result: Option[Either[Throwable, Merged]]

  /** Returns once there is a result. */
  def await(): Unit
}

/** A durable part that no reader sees yet, with the rows of all inputs. */
final case class Merged(handle: Closed, sizeBytes: Long)
