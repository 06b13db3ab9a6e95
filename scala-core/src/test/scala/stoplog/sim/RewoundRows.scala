// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

import stoplog.log.RecordNames
import stoplog.log.{LogRecord, SinkState}

/** The rows that somebody has taken out of the readers' sight, so that the query writes them once more. */
final class RewoundRows(sight: ReaderView) {
  private val rows = mutable.Set.empty[String]

  def fingerprint: Long = Fingerprint.of(rows)

  def has(row: String): Boolean = rows(row)

  /** These go with the record; answers what is wrong with it. */
  def adds(more: Set[String], record: LogRecord): Option[String] = {
    rows ++= more
    val gone =
      record.replace.flatMap(part => sight.file(part.path)).flatMap(inode => inode.counted).toSet
    more
      .find(row => sight.isShown(row) && !gone(row))
      .map(row => s"record ${record.seq} sets the log back, and '$row' stays visible")
  }
}

object RewoundRows {

  /** Whether a record sets the log back behind an older epoch than the one before it. */
  def isBy(record: LogRecord, before: LogRecord): Boolean =
    isSomebodys(record) && isSomebodys(before) &&
      record.state.lastEpoch.getOrElse(-1L) < before.state.lastEpoch.getOrElse(-1L)

  /** Whether the log begins anew with it. */
  def isReset(record: LogRecord, before: LogRecord): Boolean = !isSomebodys(record) && isSomebodys(before)

  /** A record that was there when the run of a reset claimed the log, and of which there is no copy. */
  def unkept(reset: LogRecord, disk: Disk, sinkId: String): Option[Long] = {
    val claimed = disk.log(sinkId).records.keysIterator.toVector.reverseIterator.drop(1).find { seq =>
      !isOfRun(reset, disk.log(sinkId).records(seq))
    }
    val copies = disk.notes.keySet
    claimed.filterNot(seq => copies.exists(_.endsWith(s"/log/${RecordNames.name(seq)}")))
  }

  private def isOfRun(reset: LogRecord, bytes: Array[Byte]): Boolean =
    WholeRecords.stored(bytes).decision.run == reset.run

  private def isSomebodys(record: LogRecord): Boolean = record.state.queryId != SinkState.NextQuery
}
