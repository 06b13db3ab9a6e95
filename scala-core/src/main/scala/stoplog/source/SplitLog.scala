// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.FileNotFoundException
import java.util.concurrent.atomic.AtomicReference

import scala.collection.Searching.{Found, InsertionPoint}
import scala.collection.concurrent.TrieMap
import scala.util.Using

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.log.LookBack
import stoplog.storage.{Digits, PutOutcome}

/** The splits of each micro-batch: one record for each micro-batch with splits, in the order of their
  * numbers.
  *
  * A record is created before Spark receives the splits, and never changed. The name of a record is the
  * number of its first split. A record contains the id of the previous record, so the records form a chain.
  * If two drivers continue from the same split, one driver is rejected. If a delayed driver writes a record
  * in place of a dropped record, the late record is not part of the chain: a stray record. Strays precede the
  * chain, because a driver drops the oldest records first.
  */
private[source] final class SplitLog[S <: Split](
    files: StateFiles,
    splits: VersionedSerializer[S],
    faults: Faults = Faults.none
) {
  import SplitLog.Link

  /** Returns the newest record; `None` for a source that has read nothing yet. */
  def newest(): Option[SplitRecord[S]] = firsts().lastOption.map(read)

  /** The number of the next split. */
  def end: Long = newestLink.end

  /** Releases the splits of the last record from memory, because the next read comes later. */
  def rest(): Unit = recent.set(null)

  /** Returns the end of the record that starts at this split, if there is a record: the end of the
    * micro-batch that was planned from here.
    */
  def plannedFrom(first: Long): Option[Long] =
    Option.when(firsts().contains(first) && !isStray(first))(read(first).end)

  /** Writes the record of a micro-batch. Returns the end of the record.
    *
    * Errors: `STOPLOG_FENCED` if another driver has planned this micro-batch, or a later one;
    * `STOPLOG_PLACE_CHANGED` if the previous record does not exist: see [[LookBack]].
    */
  def append(first: Long, planned: Vector[S], snapshot: Array[Byte]): Long = {
    val record = SplitRecord(first, planned, snapshot, newestLink.id)
    val bytes  = SplitRecord.encode(record, splits)
    val name   = SplitLog.name(first)
    val before = firsts().lastOption
    faults.at(Step.BeforeSplits)
    files.putIfAbsent(name)(_.write(bytes)) match {
      case PutOutcome.Created =>
        faults.at(Step.AfterSplits)
        val there = listed()
        LookBack.at(first, before.toVector, there) match {
          case LookBack.Overtaken(_) =>
            known = Some(there)
            // Deletes the record only if stray: a driver may have continued from any other record.
            if (isStray(first)) files.delete(name)
            throw Errors.sourceFenced(files.describe(name))
          case LookBack.Elsewhere(missing) =>
            throw Errors.placeChanged(files.describe(SplitLog.name(missing)))
          case LookBack.Newest =>
            known = Some(there)
            hasAppended = true
            remembered(record, bytes).end
        }
      case PutOutcome.Taken => throw Errors.sourceFenced(files.describe(name))
    }
  }

  /** Returns the splits with these numbers. Reads one record at a time.
    *
    * Error: `STOPLOG_SOURCE_STATE_LOST` if a split is missing.
    */
  def splits(from: Long, until: Long): Iterator[S] = batches(from, until).flatMap(_.splits)

  /** Returns the same splits, per record, with the snapshot of the record. */
  def batches(from: Long, until: Long): Iterator[AssignedSplits[S]] = {
    val all      = firsts()
    val relevant = all.drop(all.lastIndexWhere(_ <= from).max(0)).takeWhile(_ < until)
    if (from < until && !relevant.headOption.exists(_ <= from)) throw lost(from)
    val ends = relevant.drop(1) :+ until
    relevant.iterator.zip(ends).map { case (first, end) =>
      val record = read(first)
      if (record.end < end || isStray(first)) throw lost(record.end.min(end))
      val (begin, behind) = ((from - first).max(0L), (until - first).min(record.splits.size.toLong))
      AssignedSplits(record.splits.slice(begin.toInt, behind.toInt), record.snapshot)
    }
  }

  /** Returns the first recorded split. Reads all records: a stray may continue from another record. */
  def oldest: Long = {
    val all = firsts()
    all.drop(all.lastIndexWhere(isStray) + 1).headOption.getOrElse(0L)
  }

  /** Lists the remaining records again: an overtaken driver may still drop old records. */
  def forgetDropped(): Unit = {
    val there = listed().toSet
    known = known.map(_.filter(there))
  }

  /** Whether another driver has added records since this driver listed the records. */
  def isOvertaken: Boolean = known.exists(_.lastOption != listed().lastOption)

  /** Removes the records of all committed micro-batches except the last `kept`, including the records of
    * other drivers. Otherwise runs of one micro-batch each would never remove a record.
    *
    * Only a driver that has added a record removes records, because it has fenced all other drivers by then.
    *
    * @param committed the end of the last committed micro-batch
    * @param needed    the first split that the enumerator may request
    */
  def trim(committed: Long, kept: Int, needed: Long): Unit = if (hasAppended) {
    val done = firsts().takeWhile(_ < committed)
    if (done.sizeIs > kept) dropBefore(done(done.size - kept).min(needed))
  }

  /** Removes records whose splits all have lower numbers. Keeps the newest, with the enumerator's state. */
  def dropBefore(split: Long): Unit = {
    val all     = firsts()
    val useless = all.zip(all.drop(1)).takeWhile(_._2 <= split).map(_._1)
    useless.foreach { first =>
      files.delete(SplitLog.name(first))
      faults.at(Step.SplitsDropped)
    }
    links --= useless
    known = Some(all.drop(useless.size))
  }

  private var known: Option[Vector[Long]] = None
  private var hasAppended                 = false
  private val links                       = TrieMap.empty[Long, Link]

  // Caches the record that is planned twice and then read.
  private val recent = new AtomicReference[SplitRecord[S]]()

  /** Returns the link for the next record: a link to the newest record. */
  private def newestLink: Link = firsts().lastOption.fold(Link.none)(first => orLost(first)(link(first)))

  /** Whether the next record does not continue from this record. The newest record is not a stray, because a
    * driver continues from it.
    */
  private def isStray(first: Long): Boolean = isStray(first, firsts())

  private def isStray(first: Long, there: Vector[Long]): Boolean = nextOf(first, there).exists { next =>
    try link(first).isNotBefore(next, link(next))
    catch { case _: FileNotFoundException => true } // another driver dropped this record before the next
  }

  private def nextOf(first: Long, there: Vector[Long]): Option[Long] = there.search(first) match {
    case Found(at)          => there.lift(at + 1)
    case InsertionPoint(at) => there.lift(at)
  }

  private def firsts(): Vector[Long] = known.getOrElse {
    val found = listed()
    known = Some(found)
    found
  }

  private def listed(): Vector[Long] =
    files.list().collect { case SplitLog.Name(digits) => digits.toLong }.sorted

  private def link(first: Long): Link = links.getOrElse(
    first, {
      open(first)
      links(first)
    }
  )

  private def read(first: Long): SplitRecord[S] =
    Option(recent.get).filter(_.first == first).getOrElse {
      val record = orLost(first)(open(first))
      // After the listing, other drivers may have dropped the record, and a delayed driver may have written a
      // stray in its place.
      if (firsts().lastOption.contains(first) && isStray(first, listed())) {
        rest()
        throw lost(first)
      }
      record
    }

  /** Converts a missing record: another driver may have dropped the record after the listing. */
  private def orLost[A](first: Long)(action: => A): A =
    try action
    catch { case _: FileNotFoundException => throw lost(first) }

  /** Error: `FileNotFoundException`. */
  private def open(first: Long): SplitRecord[S] = {
    val name  = SplitLog.name(first)
    val bytes = Using.resource(files.open(name))(_.readAllBytes())
    SplitRecord.read(bytes, splits) match {
      case Right(record)                                => remembered(record, bytes)
      case Left(SplitRecord.Torn(why))                  => throw Errors.recordTorn(files.describe(name), why)
      case Left(SplitRecord.TooNew(version, supported)) =>
        throw Errors.recordTooNew(files.describe(name), version, supported)
    }
  }

  private def remembered(record: SplitRecord[S], bytes: Array[Byte]): SplitRecord[S] = {
    links(record.first) = Link(record.end, Some(SplitRecord.idOf(bytes)), record.previous)
    recent.set(record)
    record
  }

  private def lost(split: Long) = Errors.sourceStateLost(files.describe(""), split)
}

private object SplitLog {
  private val Name = """(\d{20})\.splits""".r

  def name(first: Long): String = s"${Digits.of(first)}.splits"

  /** The properties of a record that its neighbours in the chain use. */
  private final case class Link(end: Long, id: Option[SplitRecord.Id], previous: Option[SplitRecord.Id]) {

    /** Whether this record is not the predecessor of the next. */
    def isNotBefore(next: Long, link: Link): Boolean = end != next || link.previous.exists(!id.contains(_))
  }

  private object Link {
    val none: Link = Link(0, None, None)
  }
}
