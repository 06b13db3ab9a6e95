// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.storage.{DirectoryId, FileStore, Found, Link, SourceFile, SourceFiles}
import stoplog.thread.Pooled

/** Lists a tree of directories, several directories at a time.
  *
  * Links may turn the tree into a graph with loops, so each real directory is listed once. A link adds
  * nothing if the rules reach the target anyway. Of several links to another directory, the first counts, so
  * that a file always has the same path.
  */
private[stoplog] object DirectoryWalker {

  /** The number of directories listed at a time. More than the number of processors, because the storage does
    * the work.
    */
  final val Threads = 8

  /** Visits all files that match the rules, in any order. Skips files that vanish during the walk. Throws any
    * other error, and `STOPLOG_SOURCE_LINK`.
    *
    * @param visit called by one thread at a time
    */
  def run(files: SourceFiles, rules: PathRules, threads: Int)(visit: SourceFile => Unit): Unit = {
    val each: DirectoryVisit = file => visit.synchronized(visit(file))
    run(files, rules, threads, _ => Entering.Listed(each))
    ()
  }

  /** The same for a visitor that chooses the directories to list and is called by several threads. Returns
    * the kind of the root, if the root exists.
    */
  private[file] def run(
      files: SourceFiles,
      rules: PathRules,
      threads: Int,
      visitor: Visitor
  ): Option[Found.Kind] = {
    val found = files.find("")
    found.foreach { root =>
      root.file("") match {
        case Some(file) => visitor.alone(file)
        case None       =>
          val linked = mutable.Set.empty[String]
          var level  = Vector(ListedDirectory("", "", root.id))
          while (level.nonEmpty) {
            val (next, again) = once(below(files, rules, level, threads, visitor), linked)
            again.foreach(directory => visitor.leavesOut(directory.path))
            level = next
          }
      }
    }
    found.map(_.kind)
  }

  /** Returns the subdirectories of the directories. */
  private def below(
      files: SourceFiles,
      rules: PathRules,
      level: Vector[ListedDirectory],
      threads: Int,
      visitor: Visitor
  ): Vector[ListedDirectory] = {
    def entered(directory: ListedDirectory): Vector[ListedDirectory] = visitor.enter(directory) match {
      case Entering.Known(below)  => below
      case Entering.Listed(visit) => list(files, rules, directory, visitor, visit)
    }
    if (level.sizeIs == 1) entered(level.head)
    else Pooled.map(level, threads, "stoplog-listing", _ => ())(entered).toVector.flatten
  }

  /** Returns the directories to enter, and the directories whose real directory was reached by another link
    * before.
    */
  private def once(
      level: Vector[ListedDirectory],
      linked: mutable.Set[String]
  ): (Vector[ListedDirectory], Vector[ListedDirectory]) =
    if (level.forall(_.isOwn)) (level, Vector.empty)
    else {
      val (own, others)  = level.partition(_.isOwn)
      val (first, again) = others.sortBy(_.path).partition(directory => linked.add(directory.real))
      (own ++ first, again)
    }

  private def list(
      files: SourceFiles,
      rules: PathRules,
      directory: ListedDirectory,
      visitor: Visitor,
      visit: DirectoryVisit
  ): Vector[ListedDirectory] = {
    val below = Vector.newBuilder[ListedDirectory]
    val rule  = rules.in(directory.path)
    val all   = files.unfiltered
    all.list(directory.path) { found =>
      val path     = directory.pathOf(found.name)
      def filtered = found.kind == Found.Directory && files.leavesOut(path)
      val wanted   = !filtered && rules.accepts(all, rule, path, found)
      found.file(path) match {
        case None       => if (wanted) below += directory.below(found, path) else visitor.leavesOut(path)
        case Some(file) => if (wanted) visit.file(file) else visit.passedOver(found.name)
      }
    }
    val entered = below.result()
    visit.end(entered)
    entered
  }

  /** A listed directory and the real directory, which differ if a link leads to the directory.
    *
    * @param id as found by the listing of the parent directory
    */
  final case class ListedDirectory(path: String, real: String, id: Option[DirectoryId] = None) {
    def isOwn: Boolean = path == real

    def pathOf(name: String): String = FileStore.path(path, name)

    /** @param path of the entry in this directory */
    def below(found: Found, path: String): ListedDirectory = found.link match {
      case Some(Link.Below(to)) => ListedDirectory(path, to, found.id)
      case _ if isOwn           => ListedDirectory(path, path, found.id)
      case _                    => ListedDirectory(path, FileStore.path(real, found.name), found.id)
    }
  }

  /** Receives the directories and files of a walk. */
  trait Visitor {

    /** Called before a directory is listed. */
    def enter(directory: ListedDirectory): Entering

    /** Called for a directory that is not entered because of the rules or a filter. */
    def leavesOut(directory: String): Unit = ()

    /** Called if the path of the source is a single file. */
    def alone(file: SourceFile): Unit = enter(ListedDirectory("", "")) match {
      case Entering.Listed(visit) => visit.file(file)
      case _                      => ()
    }
  }

  /** Whether a directory is listed. */
  sealed trait Entering
  object Entering {
    final case class Listed(visit: DirectoryVisit) extends Entering

    /** The directory is not listed: only the known subdirectories are visited. */
    final case class Known(below: Vector[ListedDirectory]) extends Entering
  }

  /** The visitor of one directory's entries. */
  trait DirectoryVisit {

    /** Called with a file that matches the rules. */
    def file(file: SourceFile): Unit

    /** Called with a file that does not match the rules. */
    def passedOver(name: String): Unit = ()

    /** @param below the subdirectories */
    def end(below: Vector[ListedDirectory]): Unit = ()
  }
}
