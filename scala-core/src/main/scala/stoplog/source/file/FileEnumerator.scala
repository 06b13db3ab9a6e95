// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.regex.Pattern

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.source._
import stoplog.storage.{Found, SourceFile}
import stoplog.thread.Clock

/** Yields the files under a root that have not been read, the oldest first.
  *
  * It lists when it has nothing left to yield, and holds no more than it needs for a while: of a million files that
  * appear at once it takes the oldest half, and finds the others when these are read.
  */
private[stoplog] final class FileEnumerator(
    settings: Enumeration,
    context: EnumeratorContext[FileSplit],
    clock: Clock,
    faults: Faults,
    seenLimits: SeenFiles.SeenLimits
) extends SplitEnumerator[FileSplit] {
  import settings.{framing, monitoring}

  private val absence                = new Absence(monitoring.absence.forgetMillis)
  private val seen                   = new SeenFiles(context.state, absence, clock, seenLimits, faults)
  private val pending                = mutable.ArrayDeque.empty[FileSplit]
  private var target: Option[Long]   = None // how many more files belong to it; none while it is not fixed
  private var beyond                 = FileEnumerator.NothingBeyond
  private var listedAt: Option[Long] = None
  private val directories            = new KnownDirectories(monitoring.wholeListingMillis)
  private val lengths                = settings.readiness.stableForMillis.map(new Readiness.StableLengths(_))
  private val places                 = new Places(settings)
  private val counts                 = new FileListing.Counts
  private val looks                  = FileListing.Looks(directories, places, lengths, counts)
  private val cleaner                = new CleanSource.Cleaner(settings.files, monitoring.cleaning, faults)

  context.restored.foreach(restore)

  override def discover(): Discovery =
    if (pending.nonEmpty) Discovery.Partial
    else if (target.exists(_ <= 0) || isTooEarly) Discovery.Complete
    else {
      val found = list()
      target = target.map(left => if (found.total == 0) 0L else left - found.kept)
      if (found.isTruncated) Discovery.Partial else Discovery.Complete
    }

  override def next(): Option[FileSplit] = {
    var ready: Option[FileSplit] = None
    while (ready.isEmpty && pending.nonEmpty) {
      val split = pending.removeHead()
      ready = committed(split).flatMap(readable)
      seen.put(split.file)
    }
    if (pending.isEmpty) pending.clearAndShrink() // it may have held a million
    ready
  }

  /** The task that reads what is left of a file finds out, too, that it is another one by now, and knows what is to be done
    * then.
    */
  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
    try framing.admit(split, budget)
    catch {
      case NonFatal(_) if !split.isFirst && !isThere(split.file) =>
        framing.close()
        Admitted.All(split, split.size)
    }

  private def isThere(file: SourceFile): Boolean = settings.files.find(file.path).map(_.kind) match {
    case Some(found: Found.File) => found.isStill(file)
    case _                       => false
  }

  override def takeBack(split: FileSplit): Unit = {
    if (split.isFirst) seen.forget(split.file.path)
    pending.prepend(split)
    ()
  }

  override def snapshot(end: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    val rests = pending.iterator.filterNot(_.isFirst).toVector // all others will be found again
    out.writeInt(FileEnumerator.Version)
    out.writeInt(FileSplit.Serializer.version)
    out.writeInt(rests.size)
    rests.foreach(FileSplit.Serializer.write(_, out))
    seen.snapshot(end, out)
    out.flush()
    bytes.toByteArray
  }

  override def oldestNeeded: Long = seen.oldestNeeded

  override def fixTarget(): Unit = {
    val found = list()
    target = Some(found.total - found.kept)
  }

  /** A file is put away with the last piece of it. */
  override def committed(first: Long, splits: Iterator[FileSplit]): Unit = if (cleaner.isOn) {
    var end  = first
    val ours = splits.flatMap { split =>
      end += 1
      Option.when(end > seen.cleaned && split.isLast)(split.file)
    }
    seen.putAway(cleaner.clean(ours).map(_.path), end)
    faults.at(Step.AfterClean)
  }

  override def outstanding: Outstanding = Outstanding(
    pending.size.toLong + target.getOrElse(beyond.files),
    pending.iterator.map(_.size.bytes).sum + beyond.bytes,
    pending.iterator.map(_.file.modifiedMillis).minOption
  )

  override def metrics: Map[String, String] = {
    val all = counts.metrics ++ Map(
      "outstandingFiles"   -> outstanding.splits.toString,
      "absentFiles"        -> absence.size.toString,
      "awaitedDirectories" -> places.awaitedDirectories.toString
    )
    if (!cleaner.isOn) all
    else
      all ++ Map(
        "cleanedFiles"   -> cleaner.cleanedFiles.toString,
        "uncleanedFiles" -> cleaner.failedFiles.toString
      )
  }

  override def close(): Unit = framing.close()

  /** A listing of which not all could be held is not over yet. */
  private def isTooEarly: Boolean =
    target.isEmpty && beyond.files == 0 && listedAt.exists(
      clock.elapsedMillis() - _ < monitoring.intervalMillis
    )

  private def restore(snapshot: Array[Byte]): Unit = {
    val (in, rests) = FileEnumerator.opened(snapshot)
    seen.restore(
      in,
      context.batches(_).map { batch =>
        batch.splits -> SeenFiles.Snapshot.read(FileEnumerator.opened(batch.snapshot)._1)
      }
    )
    // What was added to a file, and of which no micro-batch has taken anything, is found again.
    pending ++= rests.filter(rest => seen.find(rest.file.path).forall(_ == FileIdentity.of(rest.file)))
  }

  private def list(): FileListing.OldestFiles = {
    val held     = settings.limits.heldFiles
    val unread   = new FileListing.OldestFiles(target.fold(held)(_.min(held.toLong).toInt))
    val began    = FileListing.Began(clock.millis(), clock.elapsedMillis())
    val coverage =
      settings.finder.fold(directories.begin(began.elapsedMillis))(_ => KnownDirectories.Whole)
    if (coverage == KnownDirectories.Whole) seen.beginListing()
    places.beginListing()
    lengths.foreach(_.beginListing())
    counts.begin()
    try {
      val root = find(new FileListing(settings, looks, began, sight, unread.add), began)
      directories.end(coverage, began.elapsedMillis)
      coverage match {
        case KnownDirectories.Whole   => places.forget(seen.endListing(evidence(root)))
        case KnownDirectories.Changed => if (places.needWholeListing(seen)) directories.forgetAll()
      }
    } catch {
      case e: Throwable =>
        lengths.foreach(_.abandonListing())
        directories.forgetAll()
        throw e
    }
    if (unread.isTruncated) directories.forgetAll()
    val oldest = unread.oldest
    beyond = FileEnumerator.Beyond(
      unread.total - unread.kept,
      unread.totalBytes - oldest.iterator.map(_.size.bytes).sum
    )
    pending ++= oldest
    listedAt = Some(clock.elapsedMillis())
    counts.ended(clock.elapsedMillis() - began.elapsedMillis, seen.size)
    unread
  }

  /** Returns what is at the root, if that was looked at. */
  private def find(listing: FileListing, began: FileListing.Began): Option[Found.Kind] = {
    val rules = settings.rules.at(began.wallMillis)
    settings.finder match {
      case Some(own) =>
        own.find(settings.files, rules)(listing.named)
        None
      case None => DirectoryWalker.run(settings.files, rules, settings.limits.listingThreads, listing)
    }
  }

  private def evidence(root: Option[Found.Kind]): Evidence =
    if (settings.finder.isDefined) places.judgeFinder(counts.files, seen, clock.elapsedMillis())
    else places.judge(root, seen, clock.elapsedMillis())

  private val sight: FileListing.Sight = new FileListing.Sight {
    override def at(file: SourceFile, path: PathHash, place: Places.Visit): Option[FileSplit] = {
      place.hasFiles = true
      seen.sighted(path) match {
        case None                                      => fresh(file)
        case Some(was) if was == FileIdentity.of(file) =>
          place.isConfirmed = true
          None
        case Some(was) => changed(file, was)
      }
    }

    override def passedOver(path: PathHash): Unit = {
      seen.sighted(path)
      ()
    }
  }

  /** A batch query has read nothing before. */
  private def fresh(file: SourceFile): Option[FileSplit] =
    if (context.isOnce || !FileEnumerator.isMerged(file.path)) Some(framing.whole(file))
    else
      monitoring.onMergedPart match {
        case Monitoring.OnMergedPart.Read => Some(framing.whole(file))
        case Monitoring.OnMergedPart.Skip => ignored
        case Monitoring.OnMergedPart.Fail =>
          throw Errors.sourceMergedPart(settings.files.describe(file.path))
      }

  private def changed(file: SourceFile, was: FileIdentity): Option[FileSplit] =
    monitoring.onChangedFile match {
      case Monitoring.OnChangedFile.Ignore => ignored
      case Monitoring.OnChangedFile.Reread => Some(framing.whole(file))
      case Monitoring.OnChangedFile.Tail   =>
        framing.whole(file) match {
          case _ if file.bytes == was.bytes                      => None
          case whole if file.bytes < was.bytes || was.bytes == 0 => Some(whole)
          case FileSplit(_, Extent.Bytes(_, end)) => Some(FileSplit(file, Extent.Bytes(was.bytes, end)))
          case _ => throw Errors.sourceFileGrown(settings.files.describe(file.path), was.bytes, file.bytes)
        }
    }

  private def ignored: Option[FileSplit] = {
    counts.ignored += 1
    None
  }

  /** The split as far as its bytes are committed; none if none of them are. */
  private def committed(split: FileSplit): Option[FileSplit] = {
    val file = settings.files.committed(split.file)
    if (file.storedBytes == split.file.storedBytes) Some(split)
    else
      split.extent match {
        case _ if split.isFirst    => Some(framing.whole(file))
        case Extent.Bytes(from, _) =>
          Option.when(from < file.bytes)(FileSplit(file, Extent.Bytes(from, file.bytes)))
        case records: Extent.Records => Some(FileSplit(file, records))
      }
  }

  /** The split as far as its records are whole; none if none are. */
  private def readable(split: FileSplit): Option[FileSplit] = (monitoring.onChangedFile, split.extent) match {
    case (Monitoring.OnChangedFile.Tail, Extent.Bytes(from, until)) if isNew(split) =>
      val whole =
        for {
          end   <- framing.completeBytes(split.file, until)
          begin <- framing.completeBytes(split.file, from)
        } yield Extent.Bytes(begin, end)
      whole match {
        case Some(extent) => Option.when(extent.from < extent.until)(split.copy(extent = extent))
        case None         => Some(split)
      }
    case _ => Some(split)
  }

  /** Whether it is a file, or all that was added to one, as a listing has found it: what is left of a cut begins where
    * that was made, and the line before it was read to its end.
    */
  private def isNew(split: FileSplit): Boolean = split.isFirst || seen.find(split.file.path).exists { was =>
    was.bytes == split.extent.from && was != FileIdentity.of(split.file)
  }
}

private object FileEnumerator {
  final val Version = 2

  /** A snapshot up to the part of [[SeenFiles]], and the pieces of files in it. */
  def opened(snapshot: Array[Byte]): (DataInputStream, Vector[FileSplit]) = {
    val in      = new DataInputStream(new ByteArrayInputStream(snapshot))
    val version = in.readInt()
    val splits  = in.readInt()
    if (version > Version) throw Errors.recordTooNew(Snapshot, version, Version)
    if (splits > FileSplit.Serializer.version)
      throw Errors.recordTooNew(Snapshot, splits, FileSplit.Serializer.version)
    in -> Vector.fill(in.readInt())(FileSplit.Serializer.read(splits, in))
  }

  /** The path of a sink's merged part: see [[stoplog.part.PartNaming.merged]]. A source of one file alone, which has no
    * path, has read none of those that became it.
    */
  def isMerged(path: String): Boolean = MergedName.matcher(path).matches()

  private val MergedName = Pattern.compile("""(?s).*-[0-9a-f]{12}-m\d+(\.[^/]*)?""")

  /** As messages call it. */
  final val Snapshot = "the enumerator's snapshot in the newest record of splits"

  /** Unread files that could not be held. */
  final case class Beyond(files: Long, bytes: Long)

  val NothingBeyond: Beyond = Beyond(0, 0)
}
