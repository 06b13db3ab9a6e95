// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.{LogRecord, RecordCodec, StoredRecord}

/** The records of a log as one has them who sees all of it, and knows nothing of the classes that read them. */
object WholeRecords {

  /** Error: a [[Violation]] if the record cannot be read, or its base records are missing, or is another record. */
  def of(log: DiskLog, bytes: Array[Byte]): LogRecord = stored(bytes) match {
    case StoredRecord.Whole(record, _, _) => record
    case delta: StoredRecord.Delta        =>
      val seq    = delta.decision.seq
      val before = log.records.getOrElse(seq - 1, violated(s"the base of record $seq is missing"))
      if (stored(before).checksum != delta.base.checksum)
        violated(s"the base of record $seq is a different record now")
      delta.on(of(log, before).state).fold(violated, identity)
  }

  def stored(bytes: Array[Byte]): StoredRecord =
    RecordCodec.read(bytes).fold(problem => violated(s"an unreadable record: $problem"), identity)

  private def violated(message: String): Nothing = throw new Violation(message)
}
