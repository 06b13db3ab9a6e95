// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.commit.ManualClock
import stoplog.laws.MemoryState
import stoplog.source._
import stoplog.storage.SourceFiles
import stoplog.thread.Clock

/** A source of files in memory, with drivers that come and go. */
final class SourceWorld(
    var onChangedFile: Monitoring.OnChangedFile = Monitoring.OnChangedFile.Ignore,
    readiness: Readiness = Readiness.atOnce,
    heldFiles: Int = 1000,
    var rules: PathRules = PathRules.all,
    decoding: Decoding = Decoding.None,
    cleaning: CleanSource = CleanSource.Keep,
    wholeListingMillis: Long = 600000,
    intervalMillis: Long = 0,
    seenLimits: SeenFiles.SeenLimits = SeenFiles.SeenLimits.default,
    onMergedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail,
    onReplacedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail,
    onMissing: OnMissingFile = OnMissingFile.Fail,
    absence: Monitoring.AbsenceLimits = Monitoring.AbsenceLimits(),
    finder: Option[FileFinder] = None,
    val state: MemoryState = new MemoryState,
    private var position: Long = 0
) {
  val files         = new MemoryFiles
  private val clock = new ManualClock(0)

  /** What happens between the reading of a micro-batch and its commit. */
  var beforeCommit: () => Unit = () => ()

  /** The storage as the source sees it. */
  var storage: SourceFiles = files

  /** The clocks as the source sees them. */
  var clocks: Clock  = clock
  private var output = Vector.empty[String]
  private var open   = newDriver()

  /** The time that has passed. */
  def now: Long                 = clock.elapsedMillis()
  def now_=(millis: Long): Unit = clock.advance(millis - now)

  /** The error of the wall clock. */
  def wallError_=(millis: Long): Unit = clock.step(millis - wallError)
  def wallError: Long                 = clock.millis() - clock.elapsedMillis()

  now = 1000000

  def source: FileSplitSource[Line, String] = {
    val format = TextLines.format(decoding)
    new FileSplitSource(
      "memory",
      TextLines
        .enumeration(storage, format)
        .copy(
          selection = FileSelection(rules, readiness, finder),
          monitoring = Monitoring(
            onChangedFile,
            onMergedPart,
            intervalMillis,
            wholeListingMillis,
            cleaning,
            absence,
            onReplacedPart
          ),
          limits = Enumeration.Limits(listingThreads = 1, heldFiles)
        ),
      format,
      onMissing,
      clocks,
      seenLimits = seenLimits
    )
  }

  def driver: SourceDriver[FileSplit] = open

  /** A micro-batch: plans, reads and commits it. */
  def batch(limits: ReadLimits = ReadLimits.none): Vector[String] = {
    val end  = open.plan(position, limits)
    val rows = rowsOf(position, end)
    position = end
    output ++= rows
    beforeCommit()
    open.committed(end)
    rows
  }

  /** The rows of all micro-batches, whatever happened behind their reading. */
  def read: Vector[String] = output

  /** All micro-batches until there is nothing to read. */
  def all(limits: ReadLimits = ReadLimits.none): Vector[String] =
    Iterator
      .continually {
        val before = position
        val rows   = batch(limits)
        Option.when(position > before)(rows)
      }
      .takeWhile(_.isDefined)
      .flatMap(_.get)
      .toVector

  /** Plans a micro-batch of which the engine does not hear. */
  def planInVain(limits: ReadLimits = ReadLimits.none): Vector[FileSplit] =
    open.splits(position, open.plan(position, limits)).toVector

  def restart(): Unit = {
    open.close()
    open = newDriver()
  }

  private def rowsOf(from: Long, until: Long): Vector[String] =
    TextLines.rows(source, open.splits(from, until).toVector)

  private def newDriver() = new SourceDriver[FileSplit](source, state, keptBatches = 3)
}
