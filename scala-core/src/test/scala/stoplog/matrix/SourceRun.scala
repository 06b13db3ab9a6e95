// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.source._
import stoplog.source.file._

/** One process that reads: what Spark does with a source, in Spark's order. */
final class SourceRun(
    place: SourcePlace,
    mode: SourceMode,
    ledger: SourceLedger,
    arrivals: SourceArrivals,
    faults: Faults
) {
  private val source = SourceRun.source(place, mode, faults)
  private val driver =
    new SourceDriver[FileSplit](source, place.state(faults), keptBatches = 2, faults = faults)

  /** First what is there, as with the trigger `availableNow`, and then whatever comes. */
  def go(): Unit = {
    arrivals.restarted()
    if (ledger.planned.size > ledger.committed) finish()
    driver.fixTarget()
    while (turn()) ()
    driver.close()
    if (!arrivals.isOver) goOn()
  }

  private def goOn(): Unit = {
    val open = new SourceDriver[FileSplit](source, place.state(faults), keptBatches = 2, faults = faults)
    arrivals.restarted()
    var more = true
    while (more) {
      if (!arrivals.isOver) arrivals.next(ledger.rows)
      more = batch(open) || !arrivals.isOver
    }
    open.close()
  }

  private def turn(): Boolean = batch(driver)

  /** False when there is nothing to read. */
  private def batch(driver: SourceDriver[FileSplit]): Boolean = {
    val number = ledger.planned.size
    val start  = ledger.planned.lastOption.getOrElse(0L)
    val end    = driver.plan(start, SourceRun.Limits)
    end > start && {
      ledger.plan(number, end)
      if (number > 0) driver.committed(start)
      read(driver, number, start, end)
      arrivals.turnDone()
      true
    }
  }

  /** What was planned and not committed, again. */
  private def finish(): Unit = {
    val ends = ledger.planned
    read(driver, ends.size - 1, ends.dropRight(1).lastOption.getOrElse(0L), ends.last)
  }

  private def read(driver: SourceDriver[FileSplit], batch: Int, start: Long, end: Long): Unit = {
    ledger.write(batch, TextLines.rows(source, driver.splits(start, end).toVector))
    ledger.commit(batch)
  }
}

object SourceRun {
  private val Limits = ReadLimits(splits = Some(3), bytes = None, records = Some(9))

  def source(place: SourcePlace, mode: SourceMode, faults: Faults): FileSplitSource[Line, String] = {
    val files  = place.files(faults)
    val format = TextLines.format()
    new FileSplitSource(
      "matrix",
      TextLines
        .enumeration(files, format)
        .copy(
          // two listings that do not find a file are enough: the matrix has a clock that stands still
          monitoring = Monitoring(
            cleaning = mode.cleaning(place),
            absence = Monitoring.AbsenceLimits(forgetMillis = 0)
          ),
          limits = Enumeration.Limits(listingThreads = 1, heldFiles = 4)
        ),
      format,
      OnMissingFile.Fail,
      faults = faults,
      seenLimits = SeenFiles.SeenLimits(files = 8, snapshots = 100)
    )
  }
}
