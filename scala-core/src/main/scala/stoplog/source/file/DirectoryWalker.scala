// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.storage.{FileStore, Found, Link, SourceFile, SourceFiles}
import stoplog.thread.Pooled

/** Lists a tree of directories, several of them at a time.
  *
  * Links may make a tree a graph, with loops in it: each real directory is listed once. A link to one that the rules come
  * by anyway adds nothing; of several links to another one the first counts, so that a file has the same path each time.
  */
private[stoplog] object DirectoryWalker {

  /** The number of directories that are listed at a time: more than there are processors, as it is the storage that
    * works.
    */
  final val Threads = 8

  /** All files that the rules take, in any order. What vanishes meanwhile is left out; any other trouble is thrown, and
    * `STOPLOG_SOURCE_LINK`.
    *
    * @param visit is called by one thread at a time
    */
  def run(files: SourceFiles, rules: PathRules, threads: Int)(visit: SourceFile => Unit): Unit = {
    val each: DirectoryVisit = file => visit.synchronized(visit(file))
    run(files, rules, threads, _ => Entering.Listed(each))
    ()
  }

  /** The same for a visitor that chooses the directories to list, and which several threads call. Answers what there is at
    * the root.
    */
  private[file] def run(
      files: SourceFiles,
      rules: PathRules,
      threads: Int,
      visitor: Visitor
  ): Option[Found.Kind] = {
    val root = files.find("")
    root.foreach { found =>
      found.file("") match {
        case Some(file) => visitor.alone(file)
        case None       =>
          val linked = mutable.Set.empty[String]
          var level  = Vector(ListedDirectory("", ""))
          while (level.nonEmpty) level = once(below(files, rules, level, threads, visitor), linked)
      }
    }
    root.map(_.kind)
  }

  /** The directories in the directories. */
  private def below(
      files: SourceFiles,
      rules: PathRules,
      level: Vector[ListedDirectory],
      threads: Int,
      visitor: Visitor
  ): Vector[ListedDirectory] = {
    def entered(directory: ListedDirectory): Vector[ListedDirectory] = visitor.enter(directory.path) match {
      case Entering.Known(below)  => below
      case Entering.Listed(visit) => list(files, rules, directory, visit)
    }
    if (level.sizeIs == 1) entered(level.head)
    else Pooled.map(level, threads, "stoplog-listing", _ => ())(entered).toVector.flatten
  }

  /** Without the real directories that a link has led to before. */
  private def once(level: Vector[ListedDirectory], linked: mutable.Set[String]): Vector[ListedDirectory] =
    if (level.forall(_.isOwn)) level
    else {
      val (own, others) = level.partition(_.isOwn)
      own ++ others.sortBy(_.path).filter(directory => linked.add(directory.real))
    }

  private def list(
      files: SourceFiles,
      rules: PathRules,
      directory: ListedDirectory,
      visit: DirectoryVisit
  ): Vector[ListedDirectory] = {
    val below = Vector.newBuilder[ListedDirectory]
    val rule  = rules.in(directory.path)
    files.list(directory.path) { found =>
      val path   = directory.pathOf(found.name)
      val wanted = rules.wants(files, rule, path, found)
      found.file(path) match {
        case None       => if (wanted) below += directory.below(found, path)
        case Some(file) => if (wanted) visit.file(file) else visit.passedOver(found.name)
      }
    }
    val all = below.result()
    visit.end(all)
    all
  }

  /** A directory that is listed, and the one that it is, which is another if a link leads to it. */
  final case class ListedDirectory(path: String, real: String) {
    def isOwn: Boolean = path == real

    def pathOf(name: String): String = FileStore.path(path, name)

    /** @param path of what was found in it */
    def below(found: Found, path: String): ListedDirectory = found.link match {
      case Some(Link.Below(to)) => ListedDirectory(path, to)
      case _ if isOwn           => ListedDirectory(path, path)
      case _                    => ListedDirectory(path, FileStore.path(real, found.name))
    }
  }

  /** The visitor of a tree of directories. */
  trait Visitor {

    /** Before a directory is listed. */
    def enter(directory: String): Entering

    /** There is no directory: the source's path is that of one file. */
    def alone(file: SourceFile): Unit = enter("") match {
      case Entering.Listed(visit) => visit.file(file)
      case _                      => ()
    }
  }

  /** Whether a directory is listed. */
  sealed trait Entering
  object Entering {
    final case class Listed(visit: DirectoryVisit) extends Entering

    /** It is not: only the directories in it are looked at. */
    final case class Known(below: Vector[ListedDirectory]) extends Entering
  }

  /** The visitor of one directory's entries. */
  trait DirectoryVisit {

    /** A file that the rules take. */
    def file(file: SourceFile): Unit

    /** A file that they do not. */
    def passedOver(name: String): Unit = ()

    /** @param below the directories in it */
    def end(below: Vector[ListedDirectory]): Unit = ()
  }
}

/** Directories in which nothing has changed since they were listed, on storages that tell when an entry was last added
  * to a directory, or removed from it.
  *
  * The time is asked for before the listing. A file that is added after the listing, but at the same tick of the
  * storage's clock, does not change it any more: so a directory counts as known only if its time lies back far enough
  * when it is listed. That also covers clocks that do not agree by a few seconds. The next listing of all directories
  * finds what nothing covers.
  *
  * Holds paths and times of directories, and no names of files.
  */
private[file] final class KnownDirectories(wholeEveryMillis: Long) {
  import DirectoryWalker.ListedDirectory
  import KnownDirectories._

  private var known                 = Map.empty[String, Known]
  private var wholeAt: Option[Long] = None
  private var next                  = mutable.Map.empty[String, Known]
  private var listing               = nothing

  /** Begins a listing: of all directories, or of those only that may have changed. */
  def begin(nowMillis: Long): Coverage = {
    val whole = known.isEmpty || wholeAt.forall(nowMillis - _ >= wholeEveryMillis)
    listing = if (whole) nothing else known
    next = mutable.Map.empty
    if (whole) Whole else Changed
  }

  /** The directories in a directory that need not be listed. */
  def unchanged(directory: String, modifiedMillis: Long): Option[Vector[ListedDirectory]] =
    listing.get(directory).filter(_.modifiedMillis == modifiedMillis).map { same =>
      synchronized(next(directory) = same)
      same.below
    }

  /** A directory was listed, and there is nothing in it that has to be looked at again.
    *
    * @param modifiedMillis its time before it was listed
    * @param nowMillis      when the listing began
    */
  def listed(directory: String, modifiedMillis: Long, nowMillis: Long, below: Vector[ListedDirectory]): Unit =
    if (nowMillis - modifiedMillis >= MarginMillis)
      synchronized(next(directory) = Known(modifiedMillis, below))

  /** The listing is over, and all that it found is held. */
  def end(coverage: Coverage, nowMillis: Long): Unit = {
    known = next.toMap
    if (coverage == Whole) wholeAt = Some(nowMillis)
  }

  /** Not all that was found could be held, or the listing failed: all that was found has to be found again. */
  def forgetAll(): Unit = {
    known = nothing
    wholeAt = None
  }
}

private[file] object KnownDirectories {

  /** The time for which a directory must not have changed when it is listed. */
  final val MarginMillis = 10 * 1000L

  final case class Known(modifiedMillis: Long, below: Vector[DirectoryWalker.ListedDirectory])

  private val nothing = Map.empty[String, Known]

  /** The directories that a listing lists. */
  sealed trait Coverage

  /** All: a file that it does not find does not exist. */
  case object Whole extends Coverage

  /** The directories that may have changed. */
  case object Changed extends Coverage
}
