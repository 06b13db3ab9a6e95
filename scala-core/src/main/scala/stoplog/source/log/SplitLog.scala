// SPDX-License-Identifier: Apache-2.0
package stoplog.source.log

import java.io.FileNotFoundException
import java.util.concurrent.atomic.AtomicReference

import scala.util.Using

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.log.{LookBack, PutOutcome}
import stoplog.source.{Split, VersionedSerializer}

/** Which splits belong to which micro-batch: one record for each that has any, in the order of their numbers.
  *
  * A record is created before Spark hears of its splits, and never changed. Its name is the number of its first split, so
  * the records form one chain: of two drivers that go on from the same split, one is refused.
  */
private[source] final class SplitLog[S <: Split](
    files: StateFiles,
    splits: VersionedSerializer[S],
    faults: Faults = Faults.none
) {

  /** The newest record; none for a source that has read nothing yet. */
  def newest(): Option[SplitRecord[S]] = firsts().lastOption.map(read)

  /** The number that the next split will have. */
  def end: Long = knownEnd.getOrElse {
    val found = newest().fold(0L)(_.end)
    knownEnd = Some(found)
    found
  }

  /** Nothing is read for a while: the splits of the last record need not stay in memory. */
  def rest(): Unit = recent.set(null)

  /** Where the record ends that begins at this split, if there is one: the micro-batch that was planned from here. */
  def plannedFrom(first: Long): Option[Long] = Option.when(firsts().contains(first))(read(first).end)

  /** Error: `STOPLOG_SOURCE_FENCED` when another driver has planned this micro-batch, or gone on behind it: see
    * [[LookBack]].
    */
  def append(record: SplitRecord[S]): Unit = {
    val name = SplitLog.name(record.first)
    faults.at(Step.BeforeSplits)
    files.putIfAbsent(name)(SplitRecord.write(record, splits, _)) match {
      case PutOutcome.Created =>
        faults.at(Step.AfterSplits)
        val there = listed()
        if (LookBack.overtaking(record.first, there).isDefined) {
          files.delete(name) // nobody goes on from here, and the records behind it would seem to lack some
          throw Errors.sourceFenced(files.describe(name))
        }
        recent.set(record)
        known = Some(there)
        knownEnd = Some(record.end)
      case PutOutcome.Taken => throw Errors.sourceFenced(files.describe(name))
    }
  }

  /** The splits with these numbers, one record at a time.
    *
    * Error: `STOPLOG_SOURCE_STATE_LOST` when they are not all there.
    */
  def splits(from: Long, until: Long): Iterator[S] = {
    val all      = firsts()
    val relevant = all.drop(all.lastIndexWhere(_ <= from).max(0)).takeWhile(_ < until)
    if (from < until && !relevant.headOption.exists(_ <= from)) throw lost(from)
    val ends = relevant.drop(1) :+ until
    relevant.iterator.zip(ends).flatMap { case (first, end) =>
      val record = read(first)
      if (record.end < end) throw lost(record.end)
      record.splits.slice((from - first).max(0L).toInt, (until - first).min(record.splits.size.toLong).toInt)
    }
  }

  /** The number of the first split that is still written down. A driver that was overtaken, and died when it had created
    * its record, leaves one that the next does not go on from.
    */
  def oldest: Long = {
    val all    = firsts()
    val strays = all.zip(all.drop(1)).takeWhile { case (first, next) => read(first).end != next }
    all.drop(strays.size).headOption.getOrElse(0L)
  }

  /** Whether another driver has added records since this one listed them. */
  def isOvertaken: Boolean = known.exists(_.lastOption != listed().lastOption)

  /** Removes the records all of whose splits have lower numbers. The newest stays: it has the enumerator's state. */
  def dropBefore(split: Long): Unit = {
    val all     = firsts()
    val useless = all.zip(all.drop(1)).takeWhile(_._2 <= split).map(_._1)
    useless.foreach { first =>
      files.delete(SplitLog.name(first))
      faults.at(Step.SplitsDropped)
    }
    known = Some(all.drop(useless.size))
  }

  private var known: Option[Vector[Long]] = None
  private var knownEnd: Option[Long]      = None

  // The one that is planned twice and then read.
  private val recent = new AtomicReference[SplitRecord[S]]()

  private def firsts(): Vector[Long] = known.getOrElse {
    val found = listed()
    known = Some(found)
    found
  }

  private def listed(): Vector[Long] =
    files.list().collect { case SplitLog.Name(digits) => digits.toLong }.sorted

  private def read(first: Long): SplitRecord[S] =
    Option(recent.get).filter(_.first == first).getOrElse {
      val name = SplitLog.name(first)
      val all  =
        try Using.resource(files.open(name))(_.readAllBytes())
        catch { case _: FileNotFoundException => throw lost(first) }
      SplitRecord.read(all, splits) match {
        case Right(record) =>
          recent.set(record)
          record
        case Left(SplitRecord.Torn(why)) => throw Errors.recordTorn(files.describe(name), why)
        case Left(SplitRecord.TooNew(version, supported)) =>
          throw Errors.recordTooNew(files.describe(name), version, supported)
      }
    }

  private def lost(split: Long) = Errors.sourceStateLost(files.describe(""), split)
}

private object SplitLog {
  private val Name = """(\d{20})\.splits""".r

  def name(first: Long): String = f"$first%020d.splits"
}
