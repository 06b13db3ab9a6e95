// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Removes old records and marks of a log, for the run that writes it. Notes go with their record.
  *
  * A run removes marks of its own records alone. Whether a process is the first to mark a record tells a run that another
  * one has fenced it (protocol step 6): of its own records it knows. Those of an earlier run keep their marks as long as
  * they are kept.
  */
private[log] final class LogUpkeep(
    store: LogFiles,
    writer: RecordWriter,
    rules: LogRules
) {
  // The records that the last append saw, oldest first, so that a trim need not ask again.
  @volatile private var there = Vector.empty[Long]

  // The claim of this run, and its records that are marked, oldest first.
  private var first = Long.MaxValue
  private var marks = Vector.empty[Long]

  // From this record on it is tried again.
  private var triedWith = Long.MinValue

  /** A record decides, with these in the log. */
  def decided(record: LogRecord, listed: Vector[Long]): Unit = {
    if (record.kind == RecordKind.Claim) {
      first = record.seq
      marks = Vector.empty
    }
    there = listed
  }

  /** Removes in groups what is not kept, oldest first. What cannot be removed waits for the next group, and not for the next
    * record: a storage that takes the right to delete away would be asked in each epoch. A mark waits for its record's end.
    *
    * @param settled a record that has been carried out, and marked
    */
  def trim(settled: LogRecord): Unit = there.lastOption.foreach { newest =>
    if (settled.hasToBeSettled && settled.seq >= first && !marks.lastOption.contains(settled.seq))
      marks :+= settled.seq
    if (marks.sizeIs >= rules.marks + rules.together) {
      val (old, kept) = marks.splitAt(marks.size - rules.marks)
      marks = kept
      store.unmark(old.filter(_ < newest))
    }
    val extra = there.size - rules.records.max(1)
    if (extra >= rules.together && newest >= triedWith) {
      triedWith = newest + rules.together
      val needed      = neededBy(there.drop(extra))
      val (old, kept) = there.partition(_ < needed)
      store.delete(old)
      there = kept
      marks = marks.filter(_ >= needed)
    }
  }

  /** The whole record on which the oldest of these rests that can be read: the first of those to be kept. */
  private def neededBy(kept: Vector[Long]): Long = {
    val oldest = kept.head
    writer.wholeOf(oldest).getOrElse {
      kept.iterator
        .flatMap(store.read(_).flatMap(RecordCodec.read(_, rules.published).toOption))
        .nextOption()
        .fold(oldest)(RecordReader.restOn(_).min(oldest))
    }
  }
}
