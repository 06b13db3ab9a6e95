// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Errors
import stoplog.source.file.Glob

/** What the paths of a source have in common, and the patterns of what they name below it.
  *
  * @param below the patterns of the names, for each path
  * @param named how far each path is named without a pattern, below the root
  */
private[spark] final case class SourceRoot(
    root: HadoopPath,
    below: Vector[Vector[Glob]],
    named: Vector[String]
)

private[spark] object SourceRoot {

  /** Read as Hadoop reads paths. Error: `STOPLOG_SOURCE_PATH`. */
  def of(paths: Vector[String]): SourceRoot = {
    val parsed  = paths.map(split)
    val systems = parsed.map { case (base, _) => (base.toUri.getScheme, base.toUri.getAuthority) }.distinct
    if (systems.size > 1) throw Errors.sourcePath(paths.mkString(", "), "it is on several file systems")
    val common = parsed.map { case (base, _) => names(base) }.reduce { (a, b) =>
      a.zip(b).takeWhile { case (x, y) => x == y }.map(_._1)
    }
    val below = parsed.map { case (base, globs) => names(base).drop(common.size).map(literal) ++ globs }
    val named = parsed.map { case (base, _) => names(base).drop(common.size).mkString("/") }.distinct
    val uri   = parsed.head._1.toUri
    SourceRoot(new HadoopPath(uri.getScheme, uri.getAuthority, common.mkString("/", "/", "")), below, named)
  }

  /** The directory that the path names without a pattern, and the patterns behind it. */
  private def split(path: String): (HadoopPath, Vector[Glob]) = {
    val parsed =
      try new HadoopPath(path)
      catch { case e: IllegalArgumentException => throw Errors.sourcePath(path, e.getMessage) }
    val above = Iterator.iterate(parsed)(_.getParent).takeWhile(_ != null).toVector.reverse
    val fixed = above.takeWhile(at => !Glob.isPattern(at.getName)).last
    val globs = above.drop(above.indexOf(fixed) + 1).map { at =>
      Glob.parse(at.getName).fold(why => throw Errors.sourcePath(path, s"${at.getName} $why"), identity)
    }
    (absolute(fixed), globs)
  }

  // A relative path is one below the working directory, as everywhere in Spark.
  private def absolute(path: HadoopPath): HadoopPath =
    if (path.toUri.getScheme != null || path.toUri.getPath.startsWith("/")) path
    else path.getFileSystem(SparkHadoop.configuration).makeQualified(path)

  private def names(path: HadoopPath): Vector[String] =
    path.toUri.getPath.split('/').toVector.filter(_.nonEmpty)

  private def literal(name: String): Glob =
    Glob.parse(name.flatMap(c => if ("\\*?[{".contains(c)) s"\\$c" else c.toString)).toOption.get
}
