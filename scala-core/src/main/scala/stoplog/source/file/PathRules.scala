// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.regex.{Pattern, PatternSyntaxException}

import stoplog.error.Errors
import stoplog.storage.{FileStore, Found, HiddenNames, Link, SourceFiles}

/** The rules by which files under the root belong to the source.
  *
  * Names that begin with `.` or `_`, or end in `._COPYING_`, are hidden, as readers of such directories hide them, unless
  * a pattern of the path spells that out; `_a=1` is a partition's directory, and not hidden.
  *
  * @param below   paths below the root, each as the patterns of its names: what they match is taken, with all that lies
  *                in it
  * @param names   of the files, if there is a rule
  * @param nesting whether files in directories below are taken as well
  * @param dates   of directories below the paths that are named, if they are named by dates
  * @param minDesiredSplits in how many pieces all files together are wanted at least: so many tasks run side by side. Only a
  *                [[FileFinder]] that has a choice looks at it
  */
final case class PathRules(
    below: Vector[Vector[Glob]],
    names: Option[Glob],
    nesting: Nesting,
    dates: Option[DateRange] = None,
    minDesiredSplits: Int = 1
) {
  import PathRules.DirectoryRules

  /** The rules as they are at this time. */
  def at(nowMillis: Long): PathRules = copy(dates = dates.map(_.at(nowMillis)))

  /** The rules for a directory.
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

  /** The paths below the root, each as far as it has no pattern. */
  private[file] lazy val named: Vector[String] = below.map { globs =>
    globs.map(_.literal).takeWhile(_.isDefined).flatten.mkString("/")
  }.distinct

  /** Whether what was found adds something: the target of a link may be read under its own path as well.
    *
    * Error: `STOPLOG_SOURCE_LINK` when the rules want a file to which no link may lead.
    */
  private[file] def wants(
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
          !(reaches(FileStore.directoryOf(real)) && in(FileStore.directoryOf(real))
            .takes(FileStore.nameOf(real)))
    })
  }

  /** Whether a directory is come by under this path, from the root on. */
  private[stoplog] def reaches(directory: String): Boolean =
    directory.isEmpty || {
      val above = FileStore.directoryOf(directory)
      reaches(above) && in(above).enters(FileStore.nameOf(directory))
    }

  /** The names behind the paths that the user named, of a directory in them. */
  private def ends(fit: Vector[Vector[Glob]], path: Vector[String]): Option[Vector[String]] =
    fit.map(_.size).minOption.map(path.drop).filter(_.nonEmpty)
}

object PathRules {

  /** All that is not hidden. */
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

    /** Whether to look into a directory in it. */
    def enters(name: String): Boolean =
      ((entersAll && !HiddenNames.isHidden(name)) || next.exists(PathRules.fits(_, name))) && isInRange(name)

    /** Whether to read a file in it. */
    def takes(name: String): Boolean =
      ((takesAll && !HiddenNames.isHidden(name)) || last.exists(PathRules.fits(_, name))) &&
        names.forall(_.matches(name))
  }
}

/** Whether a source looks into directories below those that its path names. */
sealed trait Nesting
object Nesting {
  case object Recursive extends Nesting
  case object Flat      extends Nesting
}

/** A pattern for one name, as Hadoop's file systems read it: `*`, `?`, `[a-z]`, `[^a]`, `{one,two}`, and `\` before a
  * character that is meant as it is.
  */
final class Glob private (val text: String, pattern: Pattern) extends Serializable {
  def matches(name: String): Boolean = pattern.matcher(name).matches()

  /** The only name that it matches, if it is no pattern. */
  private[file] def literal: Option[String] =
    Option.unless(Glob.isPattern(text.replaceAll("\\\\.", "")))(text.replaceAll("\\\\(.)", "$1"))

  override def toString: String = text
}

object Glob {

  /** The error in the pattern, or the pattern. */
  def parse(text: String): Either[String, Glob] = {
    val regex  = new StringBuilder
    var index  = 0
    var braces = 0
    var inSet  = false
    while (index < text.length) {
      text.charAt(index) match {
        case '\\' if index + 1 < text.length =>
          index += 1
          regex ++= Pattern.quote(text.charAt(index).toString)
        case '*'                => regex ++= "[^/]*"
        case '?'                => regex ++= "[^/]"
        case '['                => regex += '['; inSet = true
        case ']'                => regex += ']'; inSet = false
        case '^' | '-' if inSet => regex += text.charAt(index)
        case '{'                => regex ++= "(?:"; braces += 1
        case '}' if braces > 0  => regex += ')'; braces -= 1
        case ',' if braces > 0  => regex += '|'
        case other              => regex ++= Pattern.quote(other.toString)
      }
      index += 1
    }
    if (braces > 0) Left("has a { that is not closed")
    else
      try Right(new Glob(text, Pattern.compile(regex.toString, Pattern.DOTALL)))
      catch { case e: PatternSyntaxException => Left(s"is no pattern: ${e.getDescription}") }
  }

  /** Whether there is anything to match in it. */
  def isPattern(text: String): Boolean = text.exists("*?[{".contains(_))
}
