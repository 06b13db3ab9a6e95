// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.source.{ReadLoop, SplitSource}
import stoplog.storage.SourceFiles

/** Files of lines, as most tests of sources read them. */
object TextLines {

  def format(decoding: Decoding = Decoding.None): LineFormat[String] = new LineFormat[String](
    decoding,
    LineReader.Separator.AnyLineEnd,
    () => (line, out) => out.put(SourceTexts.text(line))
  )

  /** Of all files, which stay as they are, anew at each poll. */
  def enumeration(files: SourceFiles, format: LineFormat[String]): Enumeration = Enumeration(
    files,
    FileSelection(PathRules.all),
    format.splitter(files),
    Monitoring()
  )

  def source(files: SourceFiles, decoding: Decoding = Decoding.None): FileSplitSource[Line, String] = {
    val lines = format(decoding)
    new FileSplitSource("lines", enumeration(files, lines), lines, OnMissingFile.Fail)
  }

  /** What a task reads of a micro-batch. */
  def rows[Held](source: SplitSource[FileSplit, Held, String], splits: Seq[FileSplit]): Vector[String] = {
    val loop = new ReadLoop(source, splits)
    try Iterator.continually(loop).takeWhile(_.next()).map(_.row).toVector
    finally loop.close()
  }
}
