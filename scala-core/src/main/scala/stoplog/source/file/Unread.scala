// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

/** The oldest of the files that a listing finds, as many as may be held. */
private[file] final class Unread(limit: Int) {
  private val found = mutable.ArrayBuffer.empty[FileSplit]
  private var count = 0L
  private var bytes = 0L

  def add(split: FileSplit): Unit = {
    count += 1
    bytes += split.size.bytes
    found += split
    if (found.size >= 2L * limit + Unread.Slack) truncate()
  }

  /** How many there are, held or not. */
  def total: Long = count

  def kept: Long = count.min(limit.toLong)

  def isTruncated: Boolean = count > limit

  /** How many bytes there are, held or not. */
  def totalBytes: Long = bytes

  /** In the order in which they are to be read: by their times, and then by their names. */
  def oldest: Iterable[FileSplit] = {
    truncate()
    found
  }

  private def truncate(): Unit = {
    found.sortInPlace()(Unread.byAge)
    if (found.size > limit) found.takeInPlace(limit)
    ()
  }
}

private object Unread {
  final val Slack = 1000

  val byAge: Ordering[FileSplit] = (a, b) => {
    val byTime = java.lang.Long.compare(a.file.modifiedMillis, b.file.modifiedMillis)
    if (byTime != 0) byTime else a.file.path.compareTo(b.file.path)
  }
}
