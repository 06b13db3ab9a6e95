// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** Rows that need uploads: those of the first bucket are large. */
object HeavyRows {
  val Bytes: Int = 2 << 20

  /** As it is written. */
  def grown(row: String): String = if (JobRows.isHeavy(row)) repeated(row) else row

  /** As it was. Fails on a row that is torn. */
  def shrunk(line: String): String = {
    val row = line.takeWhile(_ != ';')
    require(line == row || line == repeated(row), s"'$row' is torn")
    row
  }

  /** The row again and again, so that no byte of it is like those of another row. */
  private def repeated(row: String): String = s"$row;" * (Bytes / row.length)
}
