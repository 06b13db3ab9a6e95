// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.source.file.DirectoryWalker._
import stoplog.source.file.FileListing.Entered
import stoplog.storage.{DirectoryState, FileStore, SourceFile}

/** One listing: determines which files are unread and complete.
  *
  * @param began the readings of the clocks at the start of the listing
  * @param sight returns the unread part of a file, if any
  * @param found called with the unread part, once the file is complete
  */
private[file] final class FileListing(
    settings: Enumeration,
    looks: FileListing.Looks,
    began: FileListing.Began,
    sight: FileListing.FoundFiles,
    found: FileSplit => Unit
) extends Visitor {
  import looks._
  import settings.files
  import settings.selection.readiness

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

  /** The path of the source is a single file, for which no marker is needed. */
  override def alone(file: SourceFile): Unit = {
    consider(file, Entered("", None, new Places.Visit(None)))
    ()
  }

  private lazy val reported = new SeenTable // only for a finder

  /** Called when a finder has reported a file. A finder may report a file twice, or in two spellings. */
  def named(file: SourceFile): Unit = {
    val spelled = file.copy(path = FileStore.normalized(file.path))
    val path    = PathHash.of(spelled.path)
    if (reported.find(path) < 0) {
      reported.put(path, FileIdentity(0, 0))
      consider(spelled, Entered(DirectoryNames.of(spelled), None, new Places.Visit(None)))
    }
  }

  // Looks for the marker before listing the files: a file listed before the marker existed may be incomplete.
  private def visit(in: Entered): Visit = readiness.marker match {
    case None                                => new Visit(in)
    case Some(ReadyMarker.InDirectory(name)) =>
      if (files.find(FileStore.path(in.directory, name)).isDefined) new Marked(in, name)
      else new Unmarked(in, name)
    case Some(marker: ReadyMarker.PerFile) => new EachMarked(in, marker)
  }

  /** Returns whether the file is not ready. */
  private def consider(file: SourceFile, in: Entered): Boolean = found(file, in) { unread =>
    unread.exists { split =>
      val stable = lengths.forall(_.isStable(file, began.elapsedMillis))
      val ready  = stable && readiness.isOldEnough(file, began.wallMillis) &&
        settings.splitter.canBeComplete(file)
      if (ready) found(split)
      !ready
    }
  }

  private def isUnread(file: SourceFile, in: Entered): Boolean = found(file, in)(_.isDefined)

  // Hashes the path outside the lock, as hashing is the most expensive step per file: several threads hash at
  // a time.
  private def found(file: SourceFile, in: Entered)(action: Option[FileSplit] => Boolean): Boolean = {
    val path = PathHash.ofFile(file.path, in.tag)
    synchronized {
      counts.files += 1
      action(sight.at(file, path, in.place))
    }
  }

  /** Visits a directory in which all files are complete by the rules of age and length. */
  private class Visit(in: Entered) extends DirectoryVisit {
    private var waits = false

    override def file(file: SourceFile): Unit = if (consider(file, in)) leave()

    override def passedOver(name: String): Unit = {
      val path = PathHash.ofFile(FileStore.path(in.directory, name), in.tag)
      FileListing.this.synchronized(sight.passedOver(path))
    }

    override def end(below: Vector[ListedDirectory]): Unit =
      for (state <- in.state if !waits) directories.listed(in.directory, state, began.wallMillis, below)

    /** Leaves the file to a later listing. */
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

  /** The listed entry of a file may be older than the marker of the file, so the file is looked up again. */
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

  /** State of a run of the source, kept between listings. */
  final case class Looks(
      directories: KnownDirectories,
      places: Places,
      lengths: Option[Readiness.StableLengths],
      counts: Counts
  )

  /** The start time of a listing. */
  final case class Began(wallMillis: Long, elapsedMillis: Long)

  /** A directory entered by a listing.
    *
    * @param state before the directory is listed
    */
  private final case class Entered(directory: String, state: Option[DirectoryState], place: Places.Visit) {
    val tag: Int = PathHash.tagOf(directory)
  }

  /** Called for each file found by a listing. */
  trait FoundFiles {

    /** Returns the unread part of a matching file, if any. */
    def at(file: SourceFile, path: PathHash, place: Places.Visit): Option[FileSplit]

    /** Called with an existing file that does not match the rules. */
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

    /** Listed directories. Each is one call of the storage, or several calls if the directory is large. */
    var directories: Long = 0

    /** Directories skipped because nothing in the directory had changed. */
    var skipped: Long = 0

    /** Files encountered by the current listing. */
    var files: Long = 0

    /** Unread files among these files that are not ready. */
    var waiting: Long = 0

    /** The number of times a listing has ignored a file changed since reading. */
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

  /** Keeps the oldest files of a listing, up to a limit. */
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

    /** The number of files found, held or not. */
    def total: Long = count

    def kept: Long = count.min(limit.toLong)

    def isTruncated: Boolean = count > limit

    /** The bytes of the files found, held or not. */
    def totalBytes: Long = bytes

    /** The held files in reading order: by time, then by path. */
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
