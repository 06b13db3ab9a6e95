// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.laws.MemoryState
import stoplog.source._

/** A source of files in memory, with drivers that come and go. */
final class SourceWorld(
    onChangedFile: Monitoring.OnChangedFile = Monitoring.OnChangedFile.Ignore,
    readiness: Readiness = Readiness.atOnce,
    heldFiles: Int = 1000,
    rules: PathRules = PathRules.all,
    decoding: Decoding = Decoding.None,
    cleaning: CleanSource = CleanSource.Keep,
    wholeListingMillis: Long = 600000,
    intervalMillis: Long = 0,
    seenLimits: SeenFiles.SeenLimits = SeenFiles.SeenLimits.default,
    onMergedPart: Monitoring.OnMergedPart = Monitoring.OnMergedPart.Fail,
    onMissing: OnMissingFile = OnMissingFile.Fail,
    val state: MemoryState = new MemoryState,
    private var position: Long = 0
) {
  val files          = new MemoryFiles
  var now: Long      = 1000000
  private var output = Vector.empty[String]
  private var open   = newDriver()

  def source: FileSplitSource[Line, String] = {
    val format = TextLines.format(decoding)
    new FileSplitSource(
      "memory",
      TextLines
        .enumeration(files, format)
        .copy(
          rules = rules,
          monitoring = Monitoring(onChangedFile, onMergedPart, intervalMillis, wholeListingMillis, cleaning),
          readiness = readiness,
          limits = Enumeration.Limits(listingThreads = 1, heldFiles)
        ),
      format,
      onMissing,
      () => now,
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
