// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.thread.Pooled

/** Lists a tree of directories, several of them at a time. */
private[stoplog] object Walk {

  /** How many directories are listed at a time: more than there are processors, because it is the storage that works. */
  final val Threads = 8

  /** All files that the rules take, in any order. What vanishes meanwhile is left out; any other trouble is thrown.
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
        var level = Vector("")
        while (level.nonEmpty) level = below(files, rules, level, threads, visitor)
      case None => ()
    }

  /** The directories in the directories. */
  private def below(
      files: SourceFiles,
      rules: PathRules,
      level: Vector[String],
      threads: Int,
      visitor: Visitor
  ): Vector[String] = {
    def entered(directory: String): Vector[String] = visitor.enter(directory) match {
      case Entering.Known(below)  => below
      case Entering.Listed(visit) => list(files, rules, directory, visit)
    }
    if (level.sizeIs == 1) entered(level.head)
    else Pooled.map(level, threads, "stoplog-listing", _ => ())(entered).toVector.flatten
  }

  private def list(
      files: SourceFiles,
      rules: PathRules,
      directory: String,
      visit: DirectoryVisit
  ): Vector[String] = {
    val found  = Vector.newBuilder[String]
    val rule   = rules.in(directory)
    val prefix = if (directory.isEmpty) "" else s"$directory/"
    files.list(directory) {
      case Found(name, Found.Directory)             => if (rule.enters(name)) found += prefix + name
      case Found(name, Found.File(bytes, modified)) =>
        if (rule.takes(name)) visit.file(SourceFile(prefix + name, bytes, modified))
        else visit.passedOver(name)
    }
    val all = found.result()
    visit.end(all)
    all
  }
}

/** Who is told of a tree of directories. */
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
  final case class Known(below: Vector[String]) extends Entering
}

/** Who is told what is in one directory. */
private[file] trait DirectoryVisit {

  /** A file that the rules take. */
  def file(file: SourceFile): Unit

  /** A file that they do not. */
  def passedOver(name: String): Unit = ()

  /** @param below the directories in it */
  def end(below: Vector[String]): Unit = ()
}
