// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.storage.{NoFiles, PutOutcome}

import scala.collection.concurrent.TrieMap

/** Records in memory, with a hook before and after each put. */
class MemoryRecords extends LogFiles(NoFiles, "main") {
  private val records = TrieMap.empty[Long, Vector[Byte]]
  private val marks   = TrieMap.empty[Long, Unit]
  private val notes   = TrieMap.empty[(Long, Int), Array[Byte]]

  /** How often the log was listed. */
  @volatile var listings: Int = 0

  /** Runs before a record is created: an exception leaves nothing behind. */
  @volatile var beforePut: Long => Unit = _ => ()

  /** Runs after a record is created: an exception leaves the record. */
  @volatile var afterPut: Long => Unit = _ => ()

  /** Runs before the records are listed. */
  @volatile var beforeList: () => Unit = () => ()

  /** Runs before records are deleted: an exception leaves all of them. */
  @volatile var beforeDelete: Seq[Long] => Unit = _ => ()

  /** Runs before marks are deleted: an exception leaves all of them. */
  @volatile var beforeUnmark: Seq[Long] => Unit = _ => ()

  /** Runs before a record is marked: an exception leaves it without its mark. */
  @volatile var beforeMark: Long => Unit = _ => ()

  /** Runs before a note is written. */
  @volatile var beforeNote: Long => Unit = _ => ()

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
    beforePut(seq)
    val outcome =
      records.putIfAbsent(seq, bytes.toVector).fold[PutOutcome](PutOutcome.Created)(_ => PutOutcome.Taken)
    afterPut(seq)
    outcome
  }

  override def read(seq: Long): Option[Array[Byte]] = records.get(seq).map(_.toArray)

  override def list(): Vector[Long] = {
    listings += 1
    beforeList()
    records.keys.toVector.sorted
  }

  override def delete(seqs: Seq[Long]): Unit = {
    beforeDelete(seqs)
    seqs.foreach { seq =>
      marks.remove(seq)
      notes.keys.filter(_._1 == seq).foreach(notes.remove(_))
      records.remove(seq)
    }
  }

  override def unmark(seqs: Seq[Long]): Unit = {
    beforeUnmark(seqs)
    seqs.foreach(marks.remove(_))
  }

  override def markPublished(seq: Long): PutOutcome = {
    beforeMark(seq)
    if (marks.put(seq, ()).isEmpty) PutOutcome.Created else PutOutcome.Taken
  }

  override def isPublished(seq: Long): Boolean = marks.contains(seq)

  override def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome = {
    beforeNote(seq)
    notes.putIfAbsent(seq -> number, bytes).fold[PutOutcome](PutOutcome.Created)(_ => PutOutcome.Taken)
  }

  override def note(seq: Long, number: Int): Option[Array[Byte]] = notes.get(seq -> number)

  override def describe(seq: Long): String = s"memory/$seq"
}
