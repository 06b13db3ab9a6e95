// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Removes old records and marks of a log, for the run that writes the log. Notes are removed with their
  * record.
  *
  * A run removes only marks of its own records. If a record is already marked by another process, the run
  * knows that it is fenced (protocol step 6). For its own records the run needs no marks. Marks of an earlier
  * run are kept as long as their records.
  */
private[log] final class LogUpkeep(
    store: LogFiles,
    writer: RecordWriter,
    rules: LogRules
) {
  // The first seen record that this run has not removed since its last append; none before the first append.
  @volatile private var firstKept = Long.MaxValue

  // The claim of this run, and its marked records, oldest first.
  private var first = Long.MaxValue
  private var marks = Vector.empty[Long]

  // The record from which a deletion is retried.
  private var triedWith = Long.MinValue

  /** Called when a record is committed, and the log is listed. */
  def decided(record: LogRecord): Unit = {
    if (record.kind == RecordKind.Claim) {
      first = record.seq
      marks = Vector.empty
    }
    firstKept = 0
  }

  /** Removes expired records and marks in groups, oldest first. A failed removal is retried with the next
    * group, not with the next record. Otherwise, every epoch would send deletions to a storage without delete
    * permission. A mark is removed only after its record is executed.
    *
    * @param settled  a record that has been executed and marked
    * @param seen     the last listing of this process, so that a trim needs no listing
    * @param keepFrom the first record that must stay, even if expired
    */
  def trim(settled: LogRecord, seen: Vector[Long], keepFrom: Long): Unit = {
    val there = seen.dropWhile(_ < firstKept)
    there.lastOption.foreach(trim(settled, there, _, keepFrom))
  }

  private def trim(settled: LogRecord, there: Vector[Long], newest: Long, keepFrom: Long): Unit = {
    if (settled.hasToBeSettled && settled.seq >= first && !marks.lastOption.contains(settled.seq))
      marks :+= settled.seq
    if (marks.sizeIs >= rules.marks + rules.batchSize) {
      val (old, kept) = marks.splitAt(marks.size - rules.marks)
      marks = kept
      store.unmark(old.filter(_ < newest))
    }
    val extra = (there.size - rules.records.max(1)).min(there.indexWhere(_ >= keepFrom) match {
      case -1    => there.size
      case first => first
    })
    if (extra >= rules.batchSize && newest >= triedWith) {
      triedWith = newest + rules.batchSize
      val needed = neededBy(there.drop(extra))
      store.delete(there.takeWhile(_ < needed))
      firstKept = needed
      marks = marks.filter(_ >= needed)
    }
  }

  /** Returns the first record to keep: the whole record below the oldest readable of these records. */
  private def neededBy(kept: Vector[Long]): Long = {
    val oldest = kept.head
    writer.wholeOf(oldest).getOrElse {
      kept.iterator
        .flatMap(store.read(_).flatMap(RecordCodec.read(_, rules.published).toOption))
        .nextOption()
        .fold(oldest)(RecordChain.restOn(_).min(oldest))
    }
  }
}
