// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import scala.collection.mutable

import stoplog.format.read.DirectoryColumns
import stoplog.source.file.{DirectoryNames, DirectoryWalker, FileFinder, PathRules}
import stoplog.storage.{SourceFile, SourceFiles}

/** The columns' facts from all files together, if the user does not give them: one listing.
  *
  * @param telling files whose columns count: files without a byte tell none
  * @param values  of the columns that names of directories tell
  */
private[stoplog] final case class Survey(telling: Vector[SourceFile], values: Map[String, Set[String]])

private[stoplog] object Survey {

  /** Which files tell the columns. */
  sealed trait Telling
  case object Youngest extends Telling
  case object All      extends Telling

  def of(files: SourceFiles, rules: PathRules, finder: Option[FileFinder], wanted: Telling): Survey = {
    var telling                       = Vector.empty[SourceFile]
    var latest                        = ""
    val values                        = mutable.Map.empty[String, mutable.Set[String]]
    def visit(file: SourceFile): Unit = {
      if (file.bytes > 0)
        if (wanted == All) telling :+= file
        else if (telling.forall(_.modifiedMillis <= file.modifiedMillis)) telling = Vector(file)
      val directory = DirectoryNames.of(file)
      if (directory != latest) {
        latest = directory
        for ((name, value) <- DirectoryColumns.named(directory))
          values.getOrElseUpdate(name.toLowerCase, mutable.Set.empty) += value
      }
    }
    finder match {
      case Some(own) => own.find(files, rules)(visit)
      case None      => DirectoryWalker.run(files, rules, Threads)(visit)
    }
    Survey(telling, values.view.mapValues(_.toSet).toMap)
  }

  private final val Threads = 8
}
