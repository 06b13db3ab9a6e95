// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.regex.Matcher

import stoplog.error.Errors
import stoplog.storage.{FileStore, Found, HiddenNames, Link, NamePattern, SourceFiles}

/** The rules that decide which files under the root belong to the source.
  *
  * Names that start with `.` or `_`, or end in `._COPYING_`, are hidden, as in other readers of such
  * directories. A pattern of the path that spells out the prefix or suffix includes such names. `_a=1` is a
  * partition directory, and not hidden.
  *
  * @param below   paths below the root, each as the patterns of its names; a match is included with all its
  *                content
  * @param names   a pattern for file names, if configured
  * @param nesting whether files in nested directories are included
  * @param dates   of directories below the user's paths, if the directories are named by dates
  * @param minDesiredSplits the minimum desired number of pieces of all files: the number of tasks that can
  *                         run in parallel. Only used by a [[FileFinder]] that can choose the pieces
  */
final case class PathRules(
    below: Vector[Vector[Glob]],
    names: Option[Glob],
    nesting: Nesting,
    dates: Option[DateRange] = None,
    minDesiredSplits: Int = 1
) {
  import PathRules.DirectoryRules

  /** Returns the rules at this time. */
  def at(nowMillis: Long): PathRules = copy(dates = dates.map(_.at(nowMillis)))

  /** Returns the rules for a directory.
    *
    * @param directory relative to the root; empty for the root itself
    */
  def in(directory: String): DirectoryRules = {
    val path  = if (directory.isEmpty) Vector.empty else directory.split('/').toVector
    val fit   = below.filter(_.zip(path).forall { case (glob, name) => PathRules.fits(glob, name) })
    val whole = fit.filter(_.size <= path.size)
    DirectoryRules(
      takesAll = whole.nonEmpty,
      entersAll = whole.nonEmpty && nesting == Nesting.Recursive,
      next = fit.filter(_.size > path.size).map(_(path.size)),
      last = fit.filter(_.size == path.size + 1).map(_.last),
      names = names,
      isInRange = name => dates.forall(range => ends(fit, path :+ name).forall(range.admits))
    )
  }

  /** The paths below the root, each up to its first pattern. */
  private[file] lazy val named: Vector[String] = below.map { globs =>
    globs.map(_.literal).takeWhile(_.isDefined).flatten.mkString("/")
  }.distinct

  /** Whether to read a found entry. The target of a link is skipped if the target is also read under its own
    * path.
    *
    * Error: `STOPLOG_SOURCE_LINK` if the rules include a file to which links are not permitted.
    */
  private[file] def accepts(
      files: SourceFiles,
      directory: DirectoryRules,
      path: String,
      found: Found
  ): Boolean = {
    val wanted = found.kind match {
      case Found.Directory => directory.enters(found.name)
      case _: Found.File   => directory.takes(found.name)
    }
    wanted && (found.link match {
      case None                    => true
      case Some(Link.Refused(why)) => throw Errors.sourceLink(files.describe(path), why)
      case Some(Link.Below(real))  =>
        if (found.kind == Found.Directory) !reaches(real)
        else
          !includes(real)
    })
  }

  /** Whether a listing reaches a directory under this path, starting at the root. */
  private[stoplog] def reaches(directory: String): Boolean =
    directory.isEmpty || {
      val above = FileStore.directoryOf(directory)
      reaches(above) && in(above).enters(FileStore.nameOf(directory))
    }

  /** Whether a listing includes a file under this path. */
  private[stoplog] def includes(file: String): Boolean =
    reaches(FileStore.directoryOf(file)) && in(FileStore.directoryOf(file)).takes(FileStore.nameOf(file))

  /** Returns the names below the user's path, for a directory in this path. */
  private def ends(fit: Vector[Vector[Glob]], path: Vector[String]): Option[Vector[String]] =
    fit.map(_.size).minOption.map(path.drop).filter(_.nonEmpty)
}

object PathRules {

  /** Includes every file that is not hidden. */
  val all: PathRules = PathRules(Vector(Vector.empty), None, Nesting.Recursive)

  private[file] def fits(glob: Glob, name: String): Boolean =
    glob.matches(name) && (!HiddenNames.beginsHidden(name) || glob.text.head == name.head) &&
      (!name.endsWith(HiddenNames.Copying) || glob.text.endsWith(HiddenNames.Copying))

  /** The rules for one directory. */
  final case class DirectoryRules(
      takesAll: Boolean,
      entersAll: Boolean,
      next: Vector[Glob],
      last: Vector[Glob],
      names: Option[Glob],
      private val isInRange: String => Boolean
  ) {

    /** Whether to list a nested directory. */
    def enters(name: String): Boolean =
      ((entersAll && !HiddenNames.isHidden(name)) || next.exists(PathRules.fits(_, name))) && isInRange(name)

    /** Whether to read a file in this directory. */
    def takes(name: String): Boolean =
      ((takesAll && !HiddenNames.isHidden(name)) || last.exists(PathRules.fits(_, name))) &&
        names.forall(_.matches(name))
  }
}

/** Whether a source lists directories below the directories of its path. */
sealed trait Nesting
object Nesting {
  case object Recursive extends Nesting
  case object Flat      extends Nesting
}

/** A pattern for one name, as Hadoop's file systems and Spark define patterns: `*`, `?`, `[a-z]`, `[!a]` or
  * `[^a]`, `{one,two}`, and `\` before a literal character.
  *
  * @param names the only matching name, if the text is not a pattern; otherwise the pattern
  */
final class Glob private (val text: String, names: Either[String, NamePattern]) extends Serializable {

  def matches(name: String): Boolean = names.fold(_ == name, _.matches(name))

  private[file] def literal: Option[String] = names.left.toOption

  override def toString: String = text
}

object Glob {

  /** Returns the error in the pattern, or the pattern. */
  def parse(text: String): Either[String, Glob] =
    if (isPattern(Escaped.replaceAllIn(text, "")))
      NamePattern.parse(text).map(pattern => new Glob(text, Right(pattern)))
    else
      Right(
        new Glob(text, Left(Escaped.replaceAllIn(text, found => Matcher.quoteReplacement(found.group(1)))))
      )

  /** Whether the text contains a pattern character. */
  def isPattern(text: String): Boolean = text.exists("*?[{".contains(_))

  private val Escaped = "(?s)\\\\(.)".r
}
