// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.source.file.DirectoryWalker._
import stoplog.source.file.FileListing.Entered
import stoplog.storage.{DirectoryState, FileStore, SourceFile}

/** One listing: which of the files that it comes by are unread, and complete.
  *
  * @param began what the clocks show when it begins
  * @param sight returns the unread part of a file, if it has one
  * @param found is called with it, once the file is complete
  */
private[file] final class FileListing(
    settings: Enumeration,
    looks: FileListing.Looks,
    began: FileListing.Began,
    sight: FileListing.Sight,
    found: FileSplit => Unit
) extends Visitor {
  import looks._
  import settings.{files, readiness}

  override def enter(directory: ListedDirectory): Entering = {
    val path  = directory.path
    val state = if (settings.monitoring.passesOver) files.state(path) else None
    val place = synchronized(places.entered(path, state.fold(directory.id)(_.id)))
    state.flatMap(directories.unchanged(path, _)) match {
      case Some(below) =>
        synchronized(counts.skipped += 1)
        Entering.Known(below)
      case None =>
        synchronized(counts.directories += 1)
        Entering.Listed(visit(Entered(path, state, place)))
    }
  }

  override def leavesOut(directory: String): Unit = synchronized(places.leavesOut(directory))

  /** A user who names one file alone does not ask for a marker. */
  override def alone(file: SourceFile): Unit = {
    consider(file, Entered("", None, new Places.Visit(None)))
    ()
  }

  /** A finder has named a file, wherever it is. */
  def named(file: SourceFile): Unit = {
    consider(file, Entered(DirectoryNames.of(file), None, new Places.Visit(None)))
    ()
  }

  // A marker is looked for before the files that it tells of: a file that is listed before it may be half written.
  private def visit(in: Entered): Visit = readiness.marker match {
    case None                                => new Visit(in)
    case Some(ReadyMarker.InDirectory(name)) =>
      if (files.find(FileStore.path(in.directory, name)).isDefined) new Marked(in, name)
      else new Unmarked(in, name)
    case Some(marker: ReadyMarker.PerFile) => new EachMarked(in, marker)
  }

  /** Whether the file waits for something. */
  private def consider(file: SourceFile, in: Entered): Boolean = sighted(file, in) { unread =>
    unread.exists { split =>
      val stable = lengths.forall(_.isStable(file, began.elapsedMillis))
      val ready  = stable && readiness.isOldEnough(file, began.wallMillis)
      if (ready) found(split)
      !ready
    }
  }

  private def isUnread(file: SourceFile, in: Entered): Boolean = sighted(file, in)(_.isDefined)

  // The hash of its path is what costs most of looking at a file: several are made at a time.
  private def sighted(file: SourceFile, in: Entered)(action: Option[FileSplit] => Boolean): Boolean = {
    val path = PathHash.ofFile(file.path, in.tag)
    synchronized {
      counts.files += 1
      action(sight.at(file, path, in.place))
    }
  }

  /** All files are complete, as far as their ages and lengths say so. */
  private class Visit(in: Entered) extends DirectoryVisit {
    private var waits = false

    override def file(file: SourceFile): Unit = if (consider(file, in)) leave()

    override def passedOver(name: String): Unit = {
      val path = PathHash.ofFile(FileStore.path(in.directory, name), in.tag)
      FileListing.this.synchronized(sight.passedOver(path))
    }

    override def end(below: Vector[ListedDirectory]): Unit =
      for (state <- in.state if !waits) directories.listed(in.directory, state, began.wallMillis, below)

    /** For a later listing. */
    protected final def leave(): Unit = {
      waits = true
      FileListing.this.synchronized(counts.waiting += 1)
    }
  }

  private final class Marked(in: Entered, marker: String) extends Visit(in) {
    override def file(file: SourceFile): Unit = {
      val name = files.nameOf(file)
      if (name != marker) super.file(file) else passedOver(name)
    }
  }

  private final class Unmarked(in: Entered, marker: String) extends Visit(in) {
    override def file(file: SourceFile): Unit = {
      val name = files.nameOf(file)
      if (name == marker) passedOver(name) else if (isUnread(file, in)) leave()
    }
  }

  /** The entry of a file in the listing may be older than its marker: the storage is asked for the file again. */
  private final class EachMarked(in: Entered, marker: ReadyMarker.PerFile) extends Visit(in) {
    private val marked = new SeenTable
    private var unread = Vector.empty[SourceFile]

    override def file(file: SourceFile): Unit =
      if (marker.isMarker(files.nameOf(file))) passedOver(files.nameOf(file))
      else if (isUnread(file, in)) unread :+= file

    override def passedOver(name: String): Unit = {
      super.passedOver(name)
      if (marker.isMarker(name)) marked.put(PathHash.of(marker.fileOf(name)), FileIdentity(0, 0))
    }

    override def end(below: Vector[ListedDirectory]): Unit = {
      unread.foreach { file =>
        if (marked.find(PathHash.of(files.nameOf(file))) < 0) leave()
        else
          files.find(file.path).flatMap(_.file(file.path)).foreach(super.file(_))
      }
      super.end(below)
    }
  }
}

private[file] object FileListing {

  /** What a run of the source knows from its listings so far. */
  final case class Looks(
      directories: KnownDirectories,
      places: Places,
      lengths: Option[Readiness.StableLengths],
      counts: Counts
  )

  /** When a listing began. */
  final case class Began(wallMillis: Long, elapsedMillis: Long)

  /** A directory that a listing enters.
    *
    * @param state before it is listed
    */
  private final case class Entered(directory: String, state: Option[DirectoryState], place: Places.Visit) {
    val tag: Int = PathHash.tagOf(directory)
  }

  /** Called for each file that a listing finds. */
  trait Sight {

    /** Returns the unread part of a file that the rules take, if it has one. */
    def at(file: SourceFile, path: PathHash, place: Places.Visit): Option[FileSplit]

    /** Called with a file that the rules do not take: it is there all the same. */
    def passedOver(path: PathHash): Unit
  }

  /** Metrics of the listings of one run. */
  final class Counts {
    private var listings    = 0L
    private var lastMillis  = 0L
    private var totalMillis = 0L
    private var lastFiles   = 0L
    private var remembered  = 0L
    private var lastWaiting = 0L

    /** Directories that were listed: each is a call of the storage, or several if it is large. */
    var directories: Long = 0

    /** Directories that were not, since nothing had changed in them. */
    var skipped: Long = 0

    /** Files that the running listing has come by. */
    var files: Long = 0

    /** Unread files among them that are not ready. */
    var waiting: Long = 0

    /** Times that a listing came by a file that has changed since it was read, and was left alone. */
    var ignored: Long = 0

    def begin(): Unit = {
      files = 0
      waiting = 0
    }

    def ended(millis: Long, seen: Int): Unit = {
      listings += 1
      lastMillis = millis
      totalMillis += millis
      lastFiles = files
      lastWaiting = waiting
      remembered = seen.toLong
    }

    def metrics: Map[String, String] = Map(
      "listings"            -> listings,
      "listedDirectories"   -> directories,
      "skippedDirectories"  -> skipped,
      "listingMillis"       -> totalMillis,
      "lastListingMillis"   -> lastMillis,
      "lastListedFiles"     -> lastFiles,
      "unreadyFiles"        -> lastWaiting,
      "rememberedFiles"     -> remembered,
      "changedFilesIgnored" -> ignored
    ).map { case (name, value) => name -> value.toString }
  }

  /** The oldest of the files that a listing finds, as many as may be held. */
  final class OldestFiles(limit: Int) {
    private val found = mutable.ArrayBuffer.empty[FileSplit]
    private var count = 0L
    private var bytes = 0L

    def add(split: FileSplit): Unit = {
      count += 1
      bytes += split.size.bytes
      found += split
      if (found.size >= 2L * limit + Slack) truncate()
    }

    /** The number of them, held or not. */
    def total: Long = count

    def kept: Long = count.min(limit.toLong)

    def isTruncated: Boolean = count > limit

    /** Their bytes, held or not. */
    def totalBytes: Long = bytes

    /** The files that are held, in the order in which they are to be read: by their times, and then by their names. */
    def oldest: Iterable[FileSplit] = {
      truncate()
      found
    }

    private def truncate(): Unit = {
      found.sortInPlace()(byAge)
      if (found.size > limit) found.takeInPlace(limit)
      ()
    }
  }

  private final val Slack = 1000

  private val byAge: Ordering[FileSplit] = (a, b) => {
    val byTime = java.lang.Long.compare(a.file.modifiedMillis, b.file.modifiedMillis)
    if (byTime != 0) byTime else a.file.path.compareTo(b.file.path)
  }
}
