// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{Found, SourceFile}

/** One listing: which of the files that it comes by are unread, and complete.
  *
  * @param nowMillis when it began
  * @param sight     what there is to read of a file, if there is something
  * @param found     that, once the file is complete
  */
private[file] final class FileListing(
    settings: Enumeration,
    directories: KnownDirectories,
    lengths: Option[StableLengths],
    counts: ListingCounts,
    nowMillis: Long,
    sight: (SourceFile, PathHash) => Option[FileSplit],
    found: FileSplit => Unit
) extends Visitor {
  import settings.{files, readiness}

  override def enter(directory: String): Entering = {
    val modified = if (settings.listing == Listing.Changed) files.changedMillis(directory) else None
    modified.flatMap(directories.unchanged(directory, _)) match {
      case Some(below) =>
        synchronized(counts.skipped += 1)
        Entering.Known(below)
      case None =>
        synchronized(counts.directories += 1)
        Entering.Listed(visit(directory, modified))
    }
  }

  /** Whoever names one file alone does not ask for a marker. */
  override def alone(file: SourceFile): Unit = {
    consider(file)
    ()
  }

  // A marker is looked for before the files that it tells of: what is listed before it is there may be half.
  private def visit(directory: String, modified: Option[Long]): Visit = readiness.marker match {
    case None                                => new Visit(directory, modified)
    case Some(ReadyMarker.InDirectory(name)) =>
      if (files.find(in(directory, name)).isDefined) new Marked(directory, modified, name)
      else new Unmarked(directory, modified, name)
    case Some(beside: ReadyMarker.Beside) => new EachMarked(directory, modified, beside)
  }

  /** Whether the file waits for something. */
  private def consider(file: SourceFile): Boolean = sighted(file) { unread =>
    unread.exists { split =>
      val stable = lengths.forall(_.isStable(file, nowMillis))
      val ready  = stable && readiness.isOldEnough(file, nowMillis)
      if (ready) found(split)
      !ready
    }
  }

  private def isUnread(file: SourceFile): Boolean = sighted(file)(_.isDefined)

  // The hash of its path is what costs most of looking at a file: several are made at a time.
  private def sighted(file: SourceFile)(action: Option[FileSplit] => Boolean): Boolean = {
    val path = PathHash.of(file.path)
    synchronized {
      counts.files += 1
      action(sight(file, path))
    }
  }

  private def in(directory: String, name: String): String =
    if (directory.isEmpty) name else s"$directory/$name"

  /** All files are complete, as far as their ages and lengths say so. */
  private class Visit(directory: String, modified: Option[Long]) extends DirectoryVisit {
    private var waits = false

    override def file(file: SourceFile): Unit = if (consider(file)) leave()

    override def end(below: Vector[ListedDirectory]): Unit =
      for (at <- modified if !waits) directories.listed(directory, at, nowMillis, below)

    /** For a later listing. */
    protected final def leave(): Unit = {
      waits = true
      FileListing.this.synchronized(counts.waiting += 1)
    }
  }

  private final class Marked(directory: String, modified: Option[Long], marker: String)
      extends Visit(directory, modified) {
    override def file(file: SourceFile): Unit = if (file.name != marker) super.file(file)
  }

  private final class Unmarked(directory: String, modified: Option[Long], marker: String)
      extends Visit(directory, modified) {
    override def file(file: SourceFile): Unit =
      if (file.name != marker && isUnread(file)) leave()
  }

  /** What the listing says of a file may be older than its marker: it is asked for again. */
  private final class EachMarked(directory: String, modified: Option[Long], beside: ReadyMarker.Beside)
      extends Visit(directory, modified) {
    private val marked = new SeenTable
    private var unread = Vector.empty[SourceFile]

    override def file(file: SourceFile): Unit =
      if (beside.isMarker(file.name)) passedOver(file.name)
      else if (isUnread(file)) unread :+= file

    override def passedOver(name: String): Unit =
      if (beside.isMarker(name)) marked.put(PathHash.of(beside.fileOf(name)), FileIdentity(0, 0))

    override def end(below: Vector[ListedDirectory]): Unit = {
      unread.foreach { file =>
        if (marked.find(PathHash.of(file.name)) < 0) leave()
        else
          files.find(file.path).map(_.kind).foreach {
            case Found.File(bytes, modified) => super.file(SourceFile(file.path, bytes, modified))
            case Found.Directory             => ()
          }
      }
      super.end(below)
    }
  }
}
