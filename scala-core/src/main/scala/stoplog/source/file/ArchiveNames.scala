// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.time.{Instant, ZoneOffset}
import java.time.format.DateTimeFormatter

/** The names of a file in an archive, the original name first. If another file has the name already, the
  * file's time follows before the first dot, and then a number. Example: `daily.csv`,
  * `daily-20261126T060000000Z.csv`, `daily-20261126T060000000Z-1.csv`.
  */
private[file] object ArchiveNames {

  /** @param path with `/` between the names */
  def of(path: String, modifiedMillis: Long): Iterator[String] = {
    val at                    = path.lastIndexOf('/') + 1
    val dot                   = path.indexOf('.', at + 1)
    val end                   = if (dot < 0) path.length else dot
    val time                  = Format.format(Instant.ofEpochMilli(modifiedMillis))
    def timed(number: String) = s"${path.take(end)}-$time$number${path.drop(end)}"
    Iterator(path, timed("")) ++ Iterator.range(1, MostOfOneTime).map(number => timed(s"-$number"))
  }

  private final val MostOfOneTime = 1000

  private val Format = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'").withZone(ZoneOffset.UTC)
}
