// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.part.FinishedPart

/** Lists the files of a path that readers see. Every tool and job that reads, replaces or counts finished
  * files uses this listing.
  *
  * A hidden file is never in the list ([[HiddenNames]]): the file may be an open part, or a file of a log. Of
  * the hidden files, a listing returns only markers of stoplog and [[ValidLengthNames valid-length files]],
  * each in a separate collection.
  *
  * A listing follows no link below the path: the target may belong to another table. A link to a directory is
  * a file of the listing if the scope covers the whole directory.
  *
  * The names of valid-length files are settings of a query. Jobs of others do not know the settings, so the
  * listing also recognizes a valid-length file of any name by its content.
  */
private[stoplog] final class VisibleFiles(files: FileStore) {
  import VisibleFiles._

  /** Lists a scope. For the whole path, a storage without directories needs one listing; any other storage
    * lists each visible directory once. Reads each valid-length file. Error: `STOPLOG_STORE_WRITE`.
    */
  def list(scope: Scope): VisibleListing = {
    val all               = entries(scope)
    val found             = all.taken.sortBy(_.path)
    val (hidden, visible) = found.partition(file => HiddenNames.isHidden(file.name))
    val notes             = notesOf(hidden, visible.iterator.map(_.path).toSet)
    val committed         = visible.map { file =>
      val bytes = notes.get(file.path).flatMap(_.validBytes).getOrElse(file.bytes)
      VisibleFile(file.path, file.bytes, bytes, file.modifiedMillis, file.link)
    }
    VisibleListing(
      committed,
      markers = hidden.filter(file => MarkerNames.version(file.name).isDefined).map(asStored),
      validLengths = notes.values.map(_.file).toVector.sortBy(_.path).map(asStored),
      all.directories,
      all.paths.sorted,
      all.partial.sorted
    )
  }

  private def entries(scope: Scope): Entries = scope match {
    case Scope.Whole              => below(Vector(""))(entersVisible)
    case all: Scope.Directories   => below(all.roots)(entersVisible).copy(partial = linksAbove(all.roots))
    case Scope.Exactly(paths)     => exactly(paths.distinct.filterNot(HiddenNames.areIn))
    case Scope.Selected(selected) => chosen("", selected)
  }

  private def entersVisible(path: String): Boolean = !HiddenNames.isHidden(FileStore.nameOf(path))

  private def below(roots: Vector[String])(enters: String => Boolean): Entries = {
    val directories = mutable.SortedSet.empty[String]
    val found       = roots.flatMap(root =>
      files.walk(root) { path =>
        if (path != root) directories += path
        path == root || enters(path)
      }
    )
    Entries(found, directories.toVector, found.map(_.path))
  }

  /** A link in one of the directories leads to another directory, which is not in the scope. */
  private def exactly(paths: Vector[String]): Entries = {
    val all              = below(paths)(_ => false)
    val (links, inScope) = all.taken.partition(leadsToDirectory)
    val (whole, partial) = links.filter(link => paths.contains(link.path)).partition(hasNoDirectory)
    all.copy(taken = inScope ++ whole, partial = linksAbove(paths) ++ partial.map(_.path))
  }

  private def linksAbove(paths: Vector[String]): Vector[String] =
    paths.flatMap(parents).distinct.filter(files.link(_).isDefined)

  private def leadsToDirectory(entry: FileInfo): Boolean =
    entry.link.isDefined && files.stat(entry.path).exists(_.isDirectory)

  private def hasNoDirectory(link: FileInfo): Boolean =
    !files.list(link.path).exists(entry => entry.isDirectory && entersVisible(entry.path))

  /** Lists one directory after the other, so that a storage without directories returns no files of other
    * directories.
    */
  private def chosen(directory: String, selected: DirectoryChoice): Entries = {
    val takes   = selected.takes(directory)
    val entries = files.listOnly(directory) { name =>
      takes || mayEnter(FileStore.path(directory, name), selected) || ForeignOwners.Entries.mayIdentify(name)
    }
    val (inside, filesThere) = entries.partition(entry => entry.isDirectory && entry.link.isEmpty)
    val directories          = inside.map(_.path).sorted
    val (linked, filesHere)  = filesThere.partition(leadsToDirectory)
    val (whole, others)      =
      linked.filter(link => entersVisible(link.path)).partition(link => selected.takesAll(link.path))
    val here = Entries(
      (if (takes) filesHere else Vector.empty) ++ whole,
      directories,
      filesThere.map(_.path),
      others.map(_.path).filter(selected.enters)
    )
    directories
      .filter(path => entersVisible(path) && selected.enters(path))
      .foldLeft(here)((found, path) => found ++ chosen(path, selected))
  }

  /** A file can have a name that would be a wrong name of a directory. */
  private def mayEnter(path: String, selected: DirectoryChoice): Boolean =
    try selected.enters(path)
    catch { case NonFatal(_) => true }

  /** Returns the valid-length files of the visible files, by the path of the visible file. A valid-length
    * file with a standard name stays when its file is gone, and belongs to no other file. But a configured
    * prefix may begin like the standard prefix.
    */
  private def notesOf(hidden: Vector[FileInfo], visible: Set[String]): Map[String, Note] = {
    val (named, others) = hidden.partitionMap { file =>
      ValidLengthNames.standard.fileOf(file.path).map(_ -> file).toLeft(file)
    }
    val standard  = named.collect { case (about, file) if visible(about) => about -> noteIn(file) }
    val ofAnyName = others.map(file => file -> ValidLengthNames.longestIn(file.path)(visible)) ++
      named.collect {
        case (about, file) if !visible(about) => file -> ValidLengthNames.longestEnd(about)(visible)
      }
    val configured = for {
      (file, found) <- ofAnyName if ValidLengthNames.mayBeOne(file)
      about         <- found
      note = noteIn(file) if note.validBytes.isDefined
    } yield about -> note
    (configured ++ standard).toMap
  }

  private def noteIn(file: FileInfo): Note =
    Note(file, files.read(file.path).flatMap(ValidLengthNames.decoded))

  private def asStored(file: FileInfo): VisibleFile =
    VisibleFile(file.path, file.bytes, file.bytes, file.modifiedMillis, file.link)
}

private[stoplog] object VisibleFiles {

  /** A valid-length file.
    *
    * @param validBytes `None` if the content is not valid
    */
  private final case class Note(file: FileInfo, validBytes: Option[Long])

  /** @param taken       the files of the scope
    * @param directories of the listing, also those which it does not enter; for a choice of directories, only
    *                    those which it may enter, or whose names may identify an owner
    * @param paths       of the files of the listing, with the same exception
    * @param partial     see [[VisibleListing]]
    */
  private final case class Entries(
      taken: Vector[FileInfo],
      directories: Vector[String],
      paths: Vector[String],
      partial: Vector[String] = Vector.empty
  ) {
    def ++(others: Entries): Entries = Entries(
      taken ++ others.taken,
      directories ++ others.directories,
      paths ++ others.paths,
      partial ++ others.partial
    )
  }

  /** A choice of directories by their paths. The names of a directory's path may determine the choice only in
    * part.
    */
  trait DirectoryChoice extends Serializable {

    /** Returns whether a listing must look into a directory: the scope may take the directory, or a directory
      * below. By default, the scope takes no directory below another one.
      */
    def enters(directory: String): Boolean = takes(directory)

    /** Returns whether the scope takes the files which are directly in a directory. */
    def takes(directory: String): Boolean

    /** Returns whether the scope takes all files in a directory and in all directories below. By default, the
      * scope takes no directory below another one.
      */
    def takesAll(directory: String): Boolean = takes(directory)
  }

  /** The directories that a listing covers. */
  sealed trait Scope {

    /** Returns whether the scope covers the files of a directory. */
    def covers(directory: String): Boolean
  }

  object Scope {

    /** The whole path. */
    case object Whole extends Scope {
      override def covers(directory: String): Boolean = true
    }

    /** These directories, each with all nested directories.
      *
      * @param paths relative to the store's root; the empty path is the root itself
      */
    final case class Directories(paths: Vector[String]) extends Scope {
      override def covers(directory: String): Boolean =
        roots.exists(root => root.isEmpty || directory == root || directory.startsWith(s"$root/"))

      /** The directories in which the listing starts. No root contains another root. All roots are visible.
        */
      private[storage] def roots: Vector[String] = {
        val all = paths.filterNot(HiddenNames.areIn).toSet
        if (all("")) Vector("")
        else all.filterNot(path => parents(path).exists(all)).toVector.sorted
      }
    }

    /** These directories, without nested directories.
      *
      * @param paths relative to the store's root; the empty path is the root itself
      */
    final case class Exactly(paths: Vector[String]) extends Scope {
      override def covers(directory: String): Boolean = paths.contains(directory)
    }

    /** The directories that a choice takes. */
    final case class Selected(choice: DirectoryChoice) extends Scope {
      override def covers(directory: String): Boolean = choice.takes(directory)
    }
  }

  /** Returns the directories above a path and below the root, the nearest directory first. */
  private[storage] def parents(path: String): Iterator[String] =
    Iterator.iterate(path)(FileStore.directoryOf).drop(1).takeWhile(_.nonEmpty)
}

/** The result of one listing.
  *
  * A job that replaces files hides markers first, then files, then valid-length files, and restores them in
  * the reverse order. A marker states that all rows of its bucket are visible. A file without its
  * valid-length file shows rows that were never committed.
  *
  * @param files        the files that readers see, sorted by path
  * @param markers      of stoplog, in the listed directories
  * @param validLengths of `files`
  * @param directories  below the scope, visible and hidden; the listing does not enter hidden directories
  * @param paths        of all files in the listing, including hidden files
  * @param partial     the links to directories that the scope covers in part, or may cover in part. The
  *                    listing has no file behind these links
  */
private[stoplog] final case class VisibleListing(
    files: Vector[VisibleFile],
    markers: Vector[VisibleFile],
    validLengths: Vector[VisibleFile],
    directories: Vector[String],
    paths: Vector[String],
    partial: Vector[String] = Vector.empty
) {

  /** Returns all files that a job may name to replace the scope, in the required order of hiding. */
  def replaceable: Vector[VisibleFile] = markers ++ files ++ validLengths
}

private[stoplog] object VisibleListing {

  /** Creates a listing of these files, without any other files. */
  def of(files: Vector[VisibleFile]): VisibleListing =
    VisibleListing(files, Vector.empty, Vector.empty, Vector.empty, files.map(_.path))
}

/** A file below the path of a sink.
  *
  * @param storedBytes    the length of the file
  * @param committedBytes the bytes that readers may read: less than `storedBytes` if the file has a
  *                       valid-length file
  * @param modifiedMillis `None` if the storage keeps no modification times
  * @param link           the target, if the file is a symbolic link to a file or a directory; in this case
  *                       the lengths are the lengths of the link
  */
private[stoplog] final case class VisibleFile(
    path: String,
    storedBytes: Long,
    committedBytes: Long,
    modifiedMillis: Option[Long],
    link: Option[Link] = None
) {

  /** Returns the file as a part of a record. Contains the stored length, by which a later check recognizes
    * the file. The number of rows is unknown.
    */
  def asPart: FinishedPart =
    FinishedPart(FileStore.directoryOf(path), FileStore.nameOf(path), storedBytes, records = 0, epoch = -1)
}
