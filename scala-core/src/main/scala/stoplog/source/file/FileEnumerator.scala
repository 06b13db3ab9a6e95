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

  private val seen                   = new SeenFiles(context.state, seenLimits, faults)
  private val pending                = mutable.ArrayDeque.empty[FileSplit]
  private var target: Option[Long]   = None // how many more files belong to it; none while it is not fixed
  private var beyond                 = FileEnumerator.NothingBeyond
  private var listedAt: Option[Long] = None
  private val directories            = new KnownDirectories(monitoring.wholeListingMillis)
  private val lengths                = settings.readiness.stableForMillis.map(new Readiness.StableLengths(_))
  private val counts                 = new FileListing.Counts
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
      ready = readable(split)
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
  private def isLastRead(file: SourceFile): Boolean = seen.find(file.path).contains(FileIdentity.of(file))

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
    pending ++= rests.filter(rest => seen.find(rest.file.path).forall(_ == FileIdentity.of(rest.file)))
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
    val tells =
      try find(new FileListing(settings, directories, lengths, counts, began, toRead, unread.add), began)
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
    case None                                      => fresh(file)
    case Some(was) if was == FileIdentity.of(file) => None
    case Some(was)                                 => changed(file, was)
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
