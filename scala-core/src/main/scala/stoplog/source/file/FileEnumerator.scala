// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, FileNotFoundException
}

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.part.PartNaming
import stoplog.source._
import stoplog.storage.{Ending, Found, SourceFile}
import stoplog.thread.Clock

/** Yields the unread files under a root, the oldest first.
  *
  * Lists the directories when no file is left to yield, and holds a limited number of files. If a million
  * files appear at once, the enumerator holds the oldest half and finds the others after these files are
  * read.
  */
private[stoplog] final class FileEnumerator(
    settings: Enumeration,
    context: EnumeratorContext[FileSplit],
    clock: Clock,
    faults: Faults,
    seenLimits: SeenFiles.SeenLimits
) extends SplitEnumerator[FileSplit] {
  import settings.{monitoring, selection, splitter}

  private val absence = new Absence(monitoring.absence.forgetMillis)
  private val tailing = Tailing.of(settings)
  private val seen    = new SeenFiles(context.state, tailing.width, absence, clock, seenLimits, faults)
  private val pending = mutable.ArrayDeque.empty[FileSplit]
  private var target: Option[Long]   = None // files still to be read; none while the target is not fixed
  private var overLimit              = FileEnumerator.NothingOverLimit
  private var listedAt: Option[Long] = None
  private val directories            = new KnownDirectories(monitoring.wholeListingMillis)
  private val lengths                = selection.readiness.stableForMillis.map(new Readiness.StableLengths(_))
  private val places                 = new Places(settings)
  private val counts                 = new FileListing.Counts
  private val looks                  = FileListing.Looks(directories, places, lengths, counts)
  private val moved   = mutable.Map.empty[String, FileIdentity] // files that were read under another path
  private val cleaner = new CleanSource.Cleaner(settings.files, monitoring.cleaning, faults)

  context.restored.foreach(restore)

  override def discover(): Discovery =
    if (pending.nonEmpty) Discovery.Partial
    else if (target.exists(_ <= 0) || isTooEarly) Discovery.Complete
    else if (listToTarget().isTruncated) Discovery.Partial
    else Discovery.Complete

  override def next(): Option[FileSplit] = {
    var ready: Option[FileSplit] = None
    var mayList                  = true // once, because a finder may return an old state of a file each time
    while (ready.isEmpty && pending.nonEmpty) {
      val split   = pending.removeHead()
      val was     = wasOf(split.file)
      val isMoved = moved.remove(split.file.path).isDefined
      ready = committed(split) match {
        case None            => seen.put(split.file); None
        case Some(committed) =>
          tailing.readable(committed, was) match {
            case None =>
              if (mayList) listAgain(if (isMoved) 0 else 1)
              mayList = false
              None
            case Some(read) =>
              seen.put(read.file)
              read.split.orElse(Option.when(isMoved)(nothingOf(read.file, split))).map(inZone)
          }
      }
    }
    if (pending.isEmpty) pending.clearAndShrink() // the queue may have held a million splits
    ready
  }

  /** Lists the files that are still to be read. */
  private def listToTarget(): FileListing.OldestFiles = {
    val found = list()
    target = target.map(left => if (found.total == 0) 0L else left - found.kept)
    found
  }

  /** Replaces the last listing after a program has renamed a file. The state of a renamed file is recorded
    * under an old path. If files of the last listing that are now at old paths were handed out, they would
    * replace this state.
    *
    * @param dropped the number of files of the target that are not read
    */
  private def listAgain(dropped: Long): Unit = {
    val found = pending.filterNot(isRest)
    target = target.map(_ + dropped + found.count(split => !moved.contains(split.file.path)))
    pending.filterInPlace(isRest)
    listToTarget()
    ()
  }

  /** Whether the split is the rest of a file that was cut. No listing finds the rest again. */
  private def isRest(split: FileSplit): Boolean =
    !split.isFirst && seen.find(split.file.path).exists(_.isOf(split.file))

  /** Admits the whole split if the rest of a file cannot be cut because the file has been replaced. The task
    * detects and handles this, too.
    */
  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
    try withEnding(splitter.admit(split, budget))
    catch {
      case NonFatal(_) if !split.isFirst && !isThere(split.file) =>
        splitter.close()
        Admitted.All(split, split.size)
    }

  /** Adds the ending. Later micro-batches read the rest of the file and must check whether the file is still
    * the listed file.
    */
  private def withEnding(admitted: Admitted[FileSplit]): Admitted[FileSplit] = admitted match {
    case Admitted.Part(head, size, rest) if settings.files.canAppend && !head.file.ending.isKnown =>
      val file = head.file.copy(ending = endingOf(head.file))
      Admitted.Part(head.copy(file = file), size, rest.copy(file = file))
    case other => other
  }

  /** Records the current time zone, so that a repeated micro-batch returns equal rows in any session. The
    * rest of a file keeps its zone.
    */
  private def inZone(split: FileSplit): FileSplit =
    if (settings.zone.isEmpty || split.file.zone.isDefined) split
    else split.copy(file = split.file.copy(zone = settings.zone))

  /** If the file is absent, the task detects this, too. */
  private def endingOf(file: SourceFile): Ending =
    try Ending.read(settings.files, file)
    catch { case _: FileNotFoundException => Ending.Unknown }

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
    val rests = pending.iterator.filterNot(_.isFirst).toVector // the others will be found again
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

  /** Cleans a file once the last piece is committed. */
  override def committed(first: Long, splits: Iterator[FileSplit]): Unit = if (cleaner.isOn) {
    var end  = first
    val ours = splits.flatMap { split =>
      end += 1
      Option.when(end > seen.cleaned && split.isLast)(split.file)
    }
    val cleaned  = cleaner.clean(ours)
    val removed  = cleaned.collect { case (file, CleanSource.Cleaned.Removed) => file.path }
    val replaced = cleaned.collect {
      case (file, CleanSource.Cleaned.Replaced) if isLastRead(file) => file.path
    }
    seen.putAway(removed ++ replaced, end)
    if (replaced.nonEmpty) directories.forgetAll() // a listing may have skipped the new files
    faults.at(Step.AfterClean)
  }

  /** Whether no later file was handed out under the path. */
  private def isLastRead(file: SourceFile): Boolean = seen.find(file.path).exists(_.isOf(file))

  override def outstanding: Outstanding = Outstanding(
    pending.size.toLong + target.getOrElse(overLimit.files),
    pending.iterator.map(_.size.bytes).sum + overLimit.bytes,
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

  override def close(): Unit = splitter.close()

  /** The interval does not apply while the last listing had more files than could be held. */
  private def isTooEarly: Boolean =
    target.isEmpty && overLimit.files == 0 && listedAt.exists(
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
    // Drops appended parts of files if no micro-batch has read from them, also of files that were renamed and
    // have no entry under their new path yet. The next listing finds these parts again.
    pending ++= rests.filter(isRest)
  }

  private def list(): FileListing.OldestFiles = {
    val held     = settings.limits.heldFiles
    val unread   = new FileListing.OldestFiles(target.fold(held)(_.min(held.toLong).toInt))
    val began    = FileListing.Began(clock.millis(), clock.elapsedMillis())
    val coverage =
      selection.finder.fold(directories.begin(began.elapsedMillis))(_ => KnownDirectories.Whole)
    if (coverage == KnownDirectories.Whole) seen.beginListing()
    places.beginListing()
    lengths.foreach(_.beginListing())
    counts.begin()
    moved.clear()
    val readOn                      = mutable.ArrayBuffer.empty[FileSplit]
    def add(split: FileSplit): Unit =
      if (moved.contains(split.file.path)) readOn += split else unread.add(split)
    try {
      val root = find(new FileListing(settings, looks, began, sight, add), began)
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
    overLimit = FileEnumerator.OverLimit(
      unread.total - unread.kept,
      unread.totalBytes - oldest.iterator.map(_.size.bytes).sum
    )
    // Renamed files first: the files now at the old paths replace the state of these paths.
    pending ++= Tailing.inOrder(readOn, moved, seen.find)
    pending ++= oldest
    listedAt = Some(clock.elapsedMillis())
    counts.ended(clock.elapsedMillis() - began.elapsedMillis, seen.size)
    unread
  }

  /** Returns the kind of the root, or `None` if a finder is used. */
  private def find(listing: FileListing, began: FileListing.Began): Option[Found.Kind] = {
    val rules = selection.rules.at(began.wallMillis)
    selection.finder match {
      case Some(own) =>
        own.find(settings.files, rules)(listing.named)
        None
      case None => DirectoryWalker.run(settings.files, rules, settings.limits.listingThreads, listing)
    }
  }

  private def evidence(root: Option[Found.Kind]): Evidence =
    if (selection.finder.isDefined) places.judgeFinder(counts.files, seen, clock.elapsedMillis())
    else places.judge(root, seen, clock.elapsedMillis())

  private val sight: FileListing.FoundFiles = new FileListing.FoundFiles {
    override def at(file: SourceFile, path: PathHash, place: Places.Visit): Option[FileSplit] = {
      place.hasFiles = true
      seen.markFound(path) match {
        case None if context.isOnce      => fresh(file)
        case None                        => renamed(file).orElse(fresh(file))
        case Some(was) if was.isOf(file) =>
          place.isConfirmed = true
          None
        case Some(was) if was.mark.isOtherThan(file) => renamed(file).orElse(changed(file, was))
        case Some(was)                               => changed(file, was)
      }
    }

    override def passedOver(path: PathHash): Unit = {
      seen.markFound(path)
      ()
    }
  }

  /** Returns the unread rest of a file read under another path before. */
  private def renamed(file: SourceFile): Option[FileSplit] =
    seen.ofId(file).filter(_.bytes <= file.bytes).maxByOption(_.bytes).flatMap { was =>
      tailing.added(file, was).map { split =>
        moved(file.path) = was
        split
      }
    }

  /** Returns an empty split, which records the new path of the file in the log. */
  private def nothingOf(file: SourceFile, split: FileSplit): FileSplit =
    split.piece(split.extent.from, split.extent.from).copy(file = file)

  /** Returns the file read before the new part of a file, if any. */
  private def wasOf(file: SourceFile): Option[FileIdentity] =
    moved.get(file.path).orElse(seen.find(file.path).filterNot(_.isOf(file)))

  /** Returns a file not read before. A batch query has not read any file before.
    *
    * The path of a source of a single file is empty. Such a source has not read any file that the file
    * replaces.
    */
  private def fresh(file: SourceFile): Option[FileSplit] =
    PartNaming.kindOf(file.path).filterNot(_ => context.isOnce) match {
      case None | Some(PartNaming.Kind.Added) => Some(splitter.whole(file))
      case Some(PartNaming.Kind.Compacted)    =>
        replacing(file, monitoring.onMergedPart)(Errors.sourceCompactedPart)
      case Some(PartNaming.Kind.Replacing) =>
        replacing(file, monitoring.onReplacedPart)(Errors.sourceReplacedPart)
    }

  private def replacing(file: SourceFile, choice: Monitoring.OnMergedPart)(
      refusal: String => Throwable
  ): Option[FileSplit] = choice match {
    case Monitoring.OnMergedPart.Read => Some(splitter.whole(file))
    case Monitoring.OnMergedPart.Skip => ignored
    case Monitoring.OnMergedPart.Fail =>
      throw refusal(settings.files.describe(file.path))
  }

  private def changed(file: SourceFile, was: FileIdentity): Option[FileSplit] =
    monitoring.onChangedFile match {
      case Monitoring.OnChangedFile.Ignore => ignored
      case Monitoring.OnChangedFile.Reread => Some(splitter.whole(file))
      case Monitoring.OnChangedFile.Tail   => tailing.changed(file, was)
    }

  private def ignored: Option[FileSplit] = {
    counts.ignored += 1
    None
  }

  /** Returns the split up to the last committed byte; `None` if no byte is committed. */
  private def committed(split: FileSplit): Option[FileSplit] = {
    val file = settings.files.committed(split.file)
    if (file.storedBytes == split.file.storedBytes) Some(split)
    else
      split.extent match {
        case _ if split.isFirst    => Some(splitter.whole(file))
        case Extent.Bytes(from, _) =>
          Option.when(from < file.bytes)(split.copy(file = file).piece(from, file.bytes))
        case _: Extent.Records => Some(split.copy(file = file))
      }
  }
}

private object FileEnumerator {
  final val Version = 1

  /** Returns a snapshot, read up to the part of [[SeenFiles]], and the pieces of files in the snapshot. */
  def opened(snapshot: Array[Byte]): (DataInputStream, Vector[FileSplit]) = {
    val in      = new DataInputStream(new ByteArrayInputStream(snapshot))
    val version = in.readInt()
    val splits  = in.readInt()
    if (version > Version) throw Errors.recordTooNew(Snapshot, version, Version)
    if (splits > FileSplit.Serializer.version)
      throw Errors.recordTooNew(Snapshot, splits, FileSplit.Serializer.version)
    in -> Vector.fill(in.readInt())(FileSplit.Serializer.read(splits, in))
  }

  /** The name in error messages. */
  final val Snapshot = "the enumerator's snapshot in the newest record of splits"

  /** Unread files in excess of the limit of held files. */
  final case class OverLimit(files: Long, bytes: Long)

  val NothingOverLimit: OverLimit = OverLimit(0, 0)
}
