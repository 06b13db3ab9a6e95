// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, FileNotFoundException
}
import java.util.regex.Pattern

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.source._
import stoplog.storage.{Ending, Found, SourceFile}

/** Yields the files under a root that have not been read, the oldest first.
  *
  * It lists when it has nothing left to yield, and holds no more than it needs for a while: of a million files that
  * appear at once it takes the oldest half, and finds the others when these are read.
  */
private[stoplog] final class FileEnumerator(
    settings: Enumeration,
    context: EnumeratorContext[FileSplit],
    clock: () => Long,
    faults: Faults,
    seenLimits: SeenFiles.SeenLimits
) extends SplitEnumerator[FileSplit] {
  import settings.{framing, monitoring}

  private val tailing                = Tailing.of(settings)
  private val seen                   = new SeenFiles(context.state, tailing.width, seenLimits, faults)
  private val pending                = mutable.ArrayDeque.empty[FileSplit]
  private var target: Option[Long]   = None // how many more files belong to it; none while it is not fixed
  private var beyond                 = FileEnumerator.NothingBeyond
  private var listedAt: Option[Long] = None
  private val directories            = new KnownDirectories(monitoring.wholeListingMillis)
  private val lengths                = settings.readiness.stableForMillis.map(new Readiness.StableLengths(_))
  private val counts                 = new FileListing.Counts
  private val moved   = mutable.Map.empty[String, FileIdentity] // what was read under another path
  private val cleaner = new CleanSource.Cleaner(settings.files, monitoring.cleaning, faults)

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
      val split    = pending.removeHead()
      val readable = tailing.readable(split, wasOf(split.file))
      ready =
        readable.split.orElse(Option.when(moved.contains(split.file.path))(nothingOf(readable.file, split)))
      seen.put(readable.file)
      moved -= split.file.path
    }
    if (pending.isEmpty) pending.clearAndShrink() // it may have held a million
    ready
  }

  /** The task that reads what is left of a file finds out, too, that it is another one by now, and knows what is to be done
    * then.
    */
  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
    try withEnding(framing.admit(split, budget))
    catch {
      case NonFatal(_) if !split.isFirst && !isThere(split.file) =>
        framing.close()
        Admitted.All(split, split.size)
    }

  /** Later micro-batches read the rest of the file: they must know whether it is still the one that was listed. */
  private def withEnding(admitted: Admitted[FileSplit]): Admitted[FileSplit] = admitted match {
    case Admitted.Part(head, size, rest) if settings.files.canAppend && !head.file.ending.isKnown =>
      val file = head.file.copy(ending = endingOf(head.file))
      Admitted.Part(head.copy(file = file), size, rest.copy(file = file))
    case other => other
  }

  /** The task that reads the file finds it gone, too. */
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
    val cleaned  = cleaner.clean(ours)
    val gone     = cleaned.collect { case (file, CleanSource.Cleaned.Gone) => file.path }
    val replaced = cleaned.collect {
      case (file, CleanSource.Cleaned.Replaced) if isLastRead(file) => file.path
    }
    seen.putAway(gone ++ replaced, end)
    if (replaced.nonEmpty) directories.forgetAll() // a listing may have passed over the new ones
    faults.at(Step.AfterClean)
  }

  /** Whether no later file of its path was handed out. */
  private def isLastRead(file: SourceFile): Boolean = seen.find(file.path).exists(_.isOf(file))

  override def outstanding: Outstanding = Outstanding(
    pending.size.toLong + target.getOrElse(beyond.files),
    pending.iterator.map(_.size.bytes).sum + beyond.bytes,
    pending.iterator.map(_.file.modifiedMillis).minOption
  )

  override def metrics: Map[String, String] = {
    val all = counts.metrics + ("outstandingFiles" -> outstanding.splits.toString)
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
    target.isEmpty && beyond.files == 0 && listedAt.exists(clock() - _ < monitoring.intervalMillis)

  private def restore(snapshot: Array[Byte]): Unit = {
    val in      = new DataInputStream(new ByteArrayInputStream(snapshot))
    val version = in.readInt()
    val splits  = in.readInt()
    if (version > FileEnumerator.Version)
      throw Errors.recordTooNew(FileEnumerator.Snapshot, version, FileEnumerator.Version)
    if (splits > FileSplit.Serializer.version)
      throw Errors.recordTooNew(FileEnumerator.Snapshot, splits, FileSplit.Serializer.version)
    val rests = Vector.fill(in.readInt())(FileSplit.Serializer.read(splits, in))
    seen.restore(in, context.assigned)
    // What was added to a file, and of which no micro-batch has taken anything, is found again.
    pending ++= rests.filter(rest => seen.find(rest.file.path).forall(_.isOf(rest.file)))
  }

  private def list(): FileListing.OldestFiles = {
    val held     = settings.limits.heldFiles
    val unread   = new FileListing.OldestFiles(target.fold(held)(_.min(held.toLong).toInt))
    val began    = clock()
    val coverage = settings.finder.fold(directories.begin(began))(_ => KnownDirectories.Whole)
    if (coverage == KnownDirectories.Whole) seen.beginListing()
    lengths.foreach(_.beginListing())
    counts.begin()
    def abandon(): Unit = {
      if (coverage == KnownDirectories.Whole) seen.abandonListing()
      lengths.foreach(_.abandonListing())
    }
    moved.clear()
    val readOn                      = mutable.ArrayBuffer.empty[FileSplit]
    def add(split: FileSplit): Unit =
      if (moved.contains(split.file.path)) readOn += split else unread.add(split)
    val tells =
      try find(new FileListing(settings, directories, lengths, counts, began, toRead, add), began)
      catch {
        case e: Throwable =>
          abandon()
          directories.forgetAll()
          throw e
      }
    if (!tells) abandon()
    else {
      if (coverage == KnownDirectories.Whole) seen.endListing()
      if (unread.isTruncated) directories.forgetAll() else directories.end(coverage, began)
    }
    val oldest = unread.oldest
    beyond = FileEnumerator.Beyond(
      unread.total - unread.kept,
      unread.totalBytes - oldest.iterator.map(_.size.bytes).sum
    )
    // First, as the state of their former paths goes with the files that are there now.
    pending ++= Tailing.inOrder(readOn, moved, seen.find)
    pending ++= oldest
    listedAt = Some(clock())
    counts.ended(clock() - began, seen.size)
    unread
  }

  /** Whether the listing tells which files there are: not where nothing is at the root, as on a disk that is away for a
    * while. But a root that was a file is a file that is gone.
    */
  private def find(listing: FileListing, began: Long): Boolean = {
    val rules = settings.rules.at(began)
    settings.finder match {
      case Some(own) =>
        own.find(settings.files, rules)(listing.alone)
        true
      case None =>
        val root = DirectoryWalker.run(settings.files, rules, settings.limits.listingThreads, listing)
        root.isDefined || seen.find("").isDefined
    }
  }

  /** The unread part of a file, if it has one. */
  private def toRead(file: SourceFile, path: PathHash): Option[FileSplit] = seen.sighted(path) match {
    case None if context.isOnce                  => fresh(file)
    case None                                    => renamed(file).orElse(fresh(file))
    case Some(was) if was.isOf(file)             => None
    case Some(was) if was.mark.isOtherThan(file) => renamed(file).orElse(changed(file, was))
    case Some(was)                               => changed(file, was)
  }

  /** All of a file that was read under another path, from where that reading has ended. */
  private def renamed(file: SourceFile): Option[FileSplit] =
    seen.ofId(file).filter(_.bytes <= file.bytes).maxByOption(_.bytes).flatMap { was =>
      tailing.added(file, was).map { split =>
        moved(file.path) = was
        split
      }
    }

  /** A split without a byte: so the log knows that the file has another path now. */
  private def nothingOf(file: SourceFile, split: FileSplit): FileSplit =
    split.piece(split.extent.from, split.extent.from).copy(file = file)

  /** The file that was read before the new part of a file, if any was. */
  private def wasOf(file: SourceFile): Option[FileIdentity] =
    moved.get(file.path).orElse(seen.find(file.path).filterNot(_.isOf(file)))

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
      case Monitoring.OnChangedFile.Tail   => tailing.changed(file, was)
    }

  private def ignored: Option[FileSplit] = {
    counts.ignored += 1
    None
  }
}

private object FileEnumerator {
  final val Version = 1

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
