// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.Breaks

import stoplog.storage.{FileStore, Found, SourceFile, SourceFiles}

/** Names of directories such as `day=2026-11-21`, which tell a column and its value. Escapes are left as they are. */
private[stoplog] object DirectoryNames {

  /** The columns and their values, from the root on.
    *
    * @param directory relative to the source's root
    */
  def values(directory: String): Vector[(String, String)] =
    directory.split('/').toVector.collect {
      case name if name.indexOf('=') > 0 => name.takeWhile(_ != '=') -> name.drop(name.indexOf('=') + 1)
    }

  /** The directory in which a file is. */
  def of(file: SourceFile): String = FileStore.directoryOf(file.path)

  /** A directory that has a file, the first that is come to; or, where there is none, the deepest of some. It is found
    * without listing all, or even one large directory to its end.
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

  /** Whether there is a file to read, or else the directories to look into. */
  private def lookInto(files: SourceFiles, rules: PathRules, directory: String): (Boolean, Vector[String]) = {
    val rule    = rules.in(directory)
    val here    = DirectoryWalker.ListedDirectory(directory, directory)
    val below   = Vector.newBuilder[String]
    var hasFile = false
    val first   = new Breaks
    first.breakable {
      files.list(directory) { found =>
        val path = here.pathOf(found.name)
        if (rules.wants(files, rule, path, found))
          if (found.kind == Found.Directory) below += path
          else {
            hasFile = true
            first.break()
          }
      }
    }
    (hasFile, below.result().sorted) // whatever order the storage lists them in: each start samples the same
  }

  private final val MostLookedAt = 100
}
