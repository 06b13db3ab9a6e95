// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.Breaks

import stoplog.storage.{FileStore, Found, SourceFile, SourceFiles}

/** Names of directories such as `day=2026-11-21`, with a column and a value. Escapes are not decoded. */
private[stoplog] object DirectoryNames {

  /** Returns the columns and their values, starting at the root.
    *
    * @param directory relative to the source's root
    */
  def values(directory: String): Vector[(String, String)] =
    directory.split('/').toVector.flatMap { name =>
      val end = name.indexOf('=')
      Option.when(end > 0)(name.substring(0, end) -> name.substring(end + 1))
    }

  /** Returns the directory of a file. */
  def of(file: SourceFile): String = FileStore.directoryOf(file.path)

  /** Returns the first directory with a file that the search finds; if there is no file, the deepest searched
    * directory. The search neither lists all directories nor lists a large directory completely.
    */
  def sample(files: SourceFiles, rules: PathRules): String = {
    var left    = MostLookedAt
    var deepest = ""

    def search(directory: String): Option[String] = {
      left -= 1
      if (directory.count(_ == '/') > deepest.count(_ == '/') || deepest.isEmpty) deepest = directory
      val (hasFile, below) = lookInto(files, rules, directory)
      if (hasFile) Some(directory)
      else below.iterator.takeWhile(_ => left > 0).map(search).collectFirst { case Some(found) => found }
    }

    search("").getOrElse(deepest)
  }

  /** Returns whether the directory has a file to read; if not, also the directories to search. */
  private def lookInto(files: SourceFiles, rules: PathRules, directory: String): (Boolean, Vector[String]) = {
    val rule    = rules.in(directory)
    val here    = DirectoryWalker.ListedDirectory(directory, directory)
    val below   = Vector.newBuilder[String]
    var hasFile = false
    val first   = new Breaks
    first.breakable {
      files.list(directory) { found =>
        val path = here.pathOf(found.name)
        if (rules.accepts(files, rule, path, found))
          if (found.kind == Found.Directory) below += path
          else {
            hasFile = true
            first.break()
          }
      }
    }
    (hasFile, below.result().sorted) // sorted, so that each start samples the same directory
  }

  private final val MostLookedAt = 100
}
