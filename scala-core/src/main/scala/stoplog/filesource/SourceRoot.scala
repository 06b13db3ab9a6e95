// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.net.URI

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.options.SparkHadoop
import stoplog.source.file.Glob
import stoplog.storage.systems.CanonicalPath
import stoplog.storage.{ForeignOwners, OwnTables, SourceFiles, Storage, TableFormat}

/** The common root of a source's paths, and the patterns of the names below the root.
  *
  * @param below the patterns of the names, for each path
  * @param named the part of each path before its first pattern, relative to the root
  * @param whole the paths without any pattern, as the user wrote them, each with its path relative to the
  *              root
  */
private[stoplog] final case class SourceRoot(
    root: HadoopPath,
    below: Vector[Vector[Glob]],
    named: Vector[String],
    whole: Vector[(String, String)]
) {

  /** The directories before the first pattern of each path, and the paths without a pattern. */
  def locations: Vector[URI] = {
    val hadoop = SparkHadoop.configuration
    named.map { path =>
      val at = if (path.isEmpty) root else new HadoopPath(root, path)
      SourceRoot.qualified(at, at, hadoop).toUri
    }
  }

  /** Returns the path of a directory on the root's file system; `None` if the directory is on another one. A
    * directory that names no file system is on the root's.
    */
  def onSameSystem(directory: String): Option[String] = {
    val to = new HadoopPath(directory)
    Try(root.getFileSystem(SparkHadoop.configuration)).toOption match {
      case Some(system) => Try(system.makeQualified(to).toUri.getPath).toOption // throws for another system
      case None => // a custom storage, which Hadoop does not know
        val isSame = to.toUri.getScheme == null || SourceRoot.system(to) == SourceRoot.system(root)
        Option.when(isSame)(to.toUri.getPath)
    }
  }

  /** The files to read under the root. Created once, because a storage may resolve mounts by requests.
    *
    * Errors: those of [[Storage.input]].
    */
  @transient lazy val files: SourceFiles = {
    val files = Storage.input(root, named, SparkHadoop.configuration)
    if (files.looksAreLocal) new CountedFiles(files) else files
  }

  /** Rejects a root in a table's directory. The directory of a stoplog sink is permitted, because it shows
    * only committed files. Error: `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseForeign(): Unit = new ForeignOwners(OwnTables.Formats(Set(TableFormat.Stoplog)))
    .refuseAbove(root.toString, files.describe(""), Storage.above(root, SparkHadoop.configuration))

  /** Rejects a root that Hadoop cannot read, for formats that Spark reads through Hadoop. Error:
    * `STOPLOG_JAR_MISSING`.
    */
  def refuseUnknownToHadoop(): Unit = {
    val hadoop = SparkHadoop.configuration
    val scheme = Storage.scheme(root, hadoop)
    if (Try(FileSystem.getFileSystemClass(scheme, hadoop)).isFailure)
      throw Errors.storeUnsupported(root.toString, scheme)
  }

  /** Returns a directory as a path relative to the root; `None` if the directory is outside the root. Both
    * are compared without mounts, and on a local disk without symbolic links.
    *
    * @param system a path on the directory's file system, used if the directory names no file system
    */
  def pathOf(directory: String, system: HadoopPath): Option[String] = {
    val hadoop = SparkHadoop.configuration
    CanonicalPath
      .of(root, root, hadoop)
      .below(CanonicalPath.of(new HadoopPath(directory), system, hadoop))
  }
}

private[stoplog] object SourceRoot {

  /** Parses paths as Hadoop does. Error: `STOPLOG_SOURCE_PATH`. */
  def of(paths: Vector[String]): SourceRoot = {
    val hadoop = SparkHadoop.configuration
    val parsed = onOneSystem(paths, paths.map(split(_, hadoop)), hadoop)
    val common = parsed.map { case (base, _) => names(base) }.reduce { (a, b) =>
      a.zip(b).takeWhile { case (x, y) => x == y }.map(_._1)
    }
    def inRoot(base: HadoopPath) = names(base).drop(common.size)
    val below                    = parsed.map { case (base, globs) => inRoot(base).map(literal) ++ globs }
    val named                    = parsed.map { case (base, _) => inRoot(base).mkString("/") }
    val whole = paths.zip(named).zip(parsed).collect { case (each, (_, globs)) if globs.isEmpty => each }
    val uri   = parsed.head._1.toUri
    val root  = new HadoopPath(uri.getScheme, uri.getAuthority, common.mkString("/", "/", ""))
    SourceRoot(root, below, named.distinct, whole)
  }

  /** Qualifies paths if necessary: paths with and without a file system's name may be on the same system. */
  private def onOneSystem(
      paths: Vector[String],
      parsed: Vector[(HadoopPath, Vector[Glob])],
      hadoop: Configuration
  ): Vector[(HadoopPath, Vector[Glob])] = {
    def systems(of: Vector[(HadoopPath, Vector[Glob])]) = of.map { case (base, _) => system(base) }.distinct
    if (systems(parsed).size == 1) parsed
    else {
      val qualified = parsed.map { case (base, globs) =>
        (base.getFileSystem(hadoop).makeQualified(base), globs)
      }
      if (systems(qualified).size > 1)
        throw Errors.sourcePath(paths.mkString(", "), "these are on several file systems")
      qualified
    }
  }

  /** Splits a path into the directory before the first pattern, and the patterns after this directory. */
  private def split(path: String, hadoop: Configuration): (HadoopPath, Vector[Glob]) = {
    val parsed =
      try new HadoopPath(path)
      catch { case e: IllegalArgumentException => throw Errors.sourcePath(path, e.getMessage) }
    val above = Iterator.iterate(parsed)(_.getParent).takeWhile(_ != null).toVector.reverse
    val fixed = above.takeWhile(at => !Glob.isPattern(at.getName)).last
    val globs = above.drop(above.indexOf(fixed) + 1).map { at =>
      Glob.parse(at.getName).fold(why => throw Errors.sourcePath(path, s"${at.getName} $why"), identity)
    }
    (absolute(fixed, hadoop), globs)
  }

  // A relative path is below the working directory, as everywhere in Spark.
  private def absolute(path: HadoopPath, hadoop: Configuration): HadoopPath =
    if (path.toUri.getScheme != null || path.toUri.getPath.startsWith("/")) path
    else path.getFileSystem(hadoop).makeQualified(path)

  private def system(path: HadoopPath) = (path.toUri.getScheme, path.toUri.getAuthority)

  // If no file system supports a path, the error is reported where the path is used.
  private def qualified(path: HadoopPath, on: HadoopPath, hadoop: Configuration): HadoopPath =
    Try(on.getFileSystem(hadoop).makeQualified(path)).getOrElse(path)

  private def names(path: HadoopPath): Vector[String] = names(path.toUri.getPath)

  private def names(path: String): Vector[String] = path.split('/').toVector.filter(_.nonEmpty)

  private def literal(name: String): Glob =
    Glob.parse(name.flatMap(c => if ("\\*?[{".contains(c)) s"\\$c" else c.toString)).toOption.get
}
