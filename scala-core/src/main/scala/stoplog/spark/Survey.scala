// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.collection.mutable

import stoplog.format.read.DirectoryColumns
import stoplog.source.file.{DirectoryNames, FileFinder, PathRules, SourceFile, SourceFiles, Walk}

/** What all files say together of the columns, where the user does not: one listing.
  *
  * @param values of the columns that names of directories tell
  */
private[spark] final case class Survey(youngest: Option[SourceFile], values: Map[String, Set[String]])

private[spark] object Survey {
  def of(files: SourceFiles, rules: PathRules, finder: Option[FileFinder]): Survey = {
    var youngest: Option[SourceFile]  = None
    var latest                        = ""
    val values                        = mutable.Map.empty[String, mutable.Set[String]]
    def visit(file: SourceFile): Unit = {
      if (youngest.forall(_.modifiedMillis <= file.modifiedMillis)) youngest = Some(file)
      val directory = DirectoryNames.of(file)
      if (directory != latest) {
        latest = directory
        for ((name, value) <- DirectoryColumns.named(directory))
          values.getOrElseUpdate(name.toLowerCase, mutable.Set.empty) += value
      }
    }
    finder match {
      case Some(own) => own.find(files, rules)(visit)
      case None      => Walk.run(files, rules, Threads)(visit)
    }
    Survey(youngest, values.view.mapValues(_.toSet).toMap)
  }

  private final val Threads = 8
}
