// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

import stoplog.commit.ManualClock
import stoplog.fault.Faults

/** Starts a query again whenever it has failed, as an operator does. */
object Restarts {

  /** What was wrong until it ended: failures without a name, and too many of any kind. */
  def problems(place: Place, clock: ManualClock, faults: Faults): Vector[String] = {
    val failures = Iterator
      .iterate(run(place, clock, faults, Checkpoint.empty, ProcessRun.planned)) { last =>
        run(place, clock, faults, last.checkpoint, ProcessRun.rest)
      }
      .take(AtMost)
      .map(_.failure)
      .takeWhile(_.isDefined)
      .flatten
      .toVector
    failures.filterNot(_.isInstanceOf[SparkThrowable]).map(e => s"it failed without a name: $e") ++
      failures.drop(AtMost - 1).map(e => s"it fails for ever: $e")
  }

  /** One process, to its end. */
  def run(
      place: Place,
      clock: ManualClock,
      faults: Faults,
      from: Checkpoint,
      planned: Seq[ProcessRun.Run]
  ): Runs = {
    val runs = new Runs(place, clock, faults, from, planned)
    runs.go()
    runs
  }

  private val AtMost = 20
}
