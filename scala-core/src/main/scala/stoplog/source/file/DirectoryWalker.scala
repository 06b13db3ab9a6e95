// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.storage.{Found, Link, SourceFile, SourceFiles}
import stoplog.thread.Pooled

/** Lists a tree of directories, several of them at a time.
  *
  * Links may make a tree a graph, with loops in it: each real directory is listed once. A link to one that the rules come
  * by anyway adds nothing; of several links to another one the first counts, so that a file has the same path each time.
  */
private[stoplog] object DirectoryWalker {

  /** How many directories are listed at a time: more than there are processors, because it is the storage that works. */
  final val Threads = 8

  /** All files that the rules take, in any order. What vanishes meanwhile is left out; any other trouble is thrown, and
    * `STOPLOG_SOURCE_LINK`.
    *
    * @param visit is called by one thread at a time
    */
  def run(files: SourceFiles, rules: PathRules, threads: Int)(visit: SourceFile => Unit): Unit = {
    val each: DirectoryVisit = file => visit.synchronized(visit(file))
    run(files, rules, threads, _ => Entering.Listed(each))
  }

  /** The same for a visitor who has a say in which directories are listed. Called by several threads. */
  private[file] def run(files: SourceFiles, rules: PathRules, threads: Int, visitor: Visitor): Unit =
    files.find("").map(_.kind) match {
      case Some(Found.File(bytes, modified)) => visitor.alone(SourceFile("", bytes, modified))
      case Some(Found.Directory)             =>
        val linked = mutable.Set.empty[String]
        var level  = Vector(ListedDirectory("", ""))
        while (level.nonEmpty) level = once(below(files, rules, level, threads, visitor), linked)
      case None => ()
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
      found.kind match {
        case Found.Directory             => if (wanted) below += directory.below(found, path)
        case Found.File(bytes, modified) =>
          if (wanted) visit.file(SourceFile(path, bytes, modified)) else visit.passedOver(found.name)
      }
    }
    val all = below.result()
    visit.end(all)
    all
  }
}

/** A directory that is listed, and the one that it is, which is another if a link leads to it. */
private[file] final case class ListedDirectory(path: String, real: String) {
  def isOwn: Boolean = path == real

  def pathOf(name: String): String = if (path.isEmpty) name else s"$path/$name"

  /** @param path of what was found in it */
  def below(found: Found, path: String): ListedDirectory = found.link match {
    case Some(Link.Below(to)) => ListedDirectory(path, to)
    case _ if isOwn           => ListedDirectory(path, path)
    case _ => ListedDirectory(path, if (real.isEmpty) found.name else s"$real/${found.name}")
  }
}

/** The visitor of a tree of directories. */
private[file] trait Visitor {

  /** Before a directory is listed. */
  def enter(directory: String): Entering

  /** There is no directory: the source's path is that of one file. */
  def alone(file: SourceFile): Unit = enter("") match {
    case Entering.Listed(visit) => visit.file(file)
    case _                      => ()
  }
}

/** Whether a directory is listed. */
private[file] sealed trait Entering
private[file] object Entering {
  final case class Listed(visit: DirectoryVisit) extends Entering

  /** It is not: only the directories in it are looked at. */
  final case class Known(below: Vector[ListedDirectory]) extends Entering
}

/** The visitor of one directory's entries. */
private[file] trait DirectoryVisit {

  /** A file that the rules take. */
  def file(file: SourceFile): Unit

  /** A file that they do not. */
  def passedOver(name: String): Unit = ()

  /** @param below the directories in it */
  def end(below: Vector[ListedDirectory]): Unit = ()
}
