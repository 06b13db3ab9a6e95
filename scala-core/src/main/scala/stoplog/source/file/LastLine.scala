// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{SourceFile, SourceFiles}

/** Finds the end of the last whole line, from the end of a file backwards. */
private[file] object LastLine {

  /** @param until only the bytes before it are looked at */
  def end(files: SourceFiles, file: SourceFile, separator: Separator, until: Long): Long = {
    var end = until
    while (end > 0) {
      val from = (end - BlockBytes).max(0L)
      // A separator may lie across the border of two blocks.
      val block = read(files, file, from, (end + separator.lookBack).min(until))
      val found = lastEnd(block, separator)
      if (found >= 0) return from + found
      end = from
    }
    0
  }

  /** Behind the last separator; -1 if there is none. */
  private def lastEnd(block: Array[Byte], separator: Separator): Int = separator match {
    // A carriage return at the very end may be half of a line end: what follows it will tell.
    case Separator.AnyLineEnd =>
      val at = block.indices.lastIndexWhere { index =>
        block(index) == '\n' || (block(index) == '\r' && index < block.length - 1)
      }
      if (at < 0) -1 else at + 1
    case Separator.Text(text) =>
      block.lastIndexOfSlice(text) match {
        case -1 => -1
        case at => at + text.size
      }
  }

  private def read(files: SourceFiles, file: SourceFile, from: Long, until: Long): Array[Byte] = {
    val in = files.open(file, from)
    try in.readNBytes((until - from).toInt)
    finally in.close()
  }

  private final val BlockBytes = 64 * 1024L
}
