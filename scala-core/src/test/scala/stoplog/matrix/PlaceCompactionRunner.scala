// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.util.control.NonFatal

import stoplog.commit.{CompactedPart, CompactionRunner, CompactionTask, RunningCompaction}
import stoplog.fault.{Faults, Step}

/** Compacts on the thread of the query, whose steps are counted. */
final class PlaceCompactionRunner(place: Place, faults: Faults) extends CompactionRunner {

  override def start(task: CompactionTask): RunningCompaction = {
    val outcome =
      try Right(running(task))
      catch { case NonFatal(e) => Left(e) }
    new RunningCompaction {
      override def result: Option[Either[Throwable, CompactedPart]] = Some(outcome)
      override def await(): Unit                                    = ()
    }
  }

  private def running(task: CompactionTask): CompactedPart = {
    val rows   = task.inputs.flatMap(part => place.content.lines(place.read(part.path)))
    val bytes  = place.content.fileOf(rows)
    val parts  = place.parts(faults)
    val output = parts.create(task.part)
    output.write(bytes, 0, bytes.length / 2)
    faults.at(Step.MidCompaction)
    output.write(bytes, bytes.length / 2, bytes.length - bytes.length / 2)
    CompactedPart(parts.closed(output.persist(), bytes.length.toLong), bytes.length.toLong)
  }
}
