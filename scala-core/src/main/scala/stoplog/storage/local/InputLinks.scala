// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.file.{FileSystemException, NoSuchFileException, Path, Paths}

import stoplog.error.Errors
import stoplog.storage.Link

/** The targets of links in the input of a source. Links are followed as long as they stay below what the source's paths
  * name: a user who may put names there may read no more for it than they could put there themselves.
  *
  * Each path is looked at right before it is used, since it may have become another since it was listed.
  *
  * @param named the paths below the root that the user named; each may be a link itself
  */
private[local] final class InputLinks(root: String, named: Vector[String]) extends Serializable {

  def at(path: String): Path = if (path.isEmpty) Paths.get(root) else Paths.get(root, path)

  /** The target of a path with a link at its end; none if that is the real path, below another one that was named. */
  def of(path: String, real: Path): Option[Link] = home(path, real) match {
    case Some(`path`) => None
    case Some(other)  => Some(Link.Below(other))
    case None         => Some(Link.Refused(outside(real)))
  }

  /** The path without links. Errors: `NoSuchFileException`, `STOPLOG_SOURCE_LINK`. */
  def real(path: String): Path = {
    val real = followed(path)
    if (home(path, real).isEmpty) throw Errors.sourceLink(at(path).toString, outside(real))
    real
  }

  /** The same for what is to be changed there: no link may lead to it. */
  def unlinked(path: String): Path = {
    val real = followed(path)
    if (!home(path, real).contains(path))
      throw Errors.sourceLink(at(path).toString, "it leads to a file that is not put away under another name")
    real
  }

  private def followed(path: String): Path =
    try at(path).toRealPath()
    catch {
      case e: NoSuchFileException => throw e
      case e: IOException         => throw Errors.sourceLink(at(path).toString, InputLinks.unresolved(e))
    }

  private def outside(real: Path): String =
    s"it leads to $real, which is not below the paths that the source reads"

  /** The real path below the root, through a path that was named: first those that the path is below. */
  private def home(path: String, real: Path): Option[String] =
    if (named.exists(isAbove(path, _))) Some(path)
    else {
      val (over, others) = named.partition(name => name == path || isAbove(name, path))
      (over.iterator ++ others).flatMap(below(_, real)).nextOption()
    }

  private def below(name: String, real: Path): Option[String] =
    try {
      val top = at(name).toRealPath()
      Option.when(real.startsWith(top))(
        Seq(name, top.relativize(real).toString).filter(_.nonEmpty).mkString("/")
      )
    } catch { case _: NoSuchFileException => None }

  private def isAbove(path: String, other: String): Boolean =
    path != other && (path.isEmpty || other.startsWith(s"$path/"))
}

private[local] object InputLinks {

  /** Why a link cannot be followed. */
  def unresolved(e: IOException): String = {
    val why = e match {
      case known: FileSystemException => Option(known.getReason).getOrElse(known.getClass.getSimpleName)
      case other                      => String.valueOf(other.getMessage)
    }
    s"it cannot be followed ($why)"
  }
}
