// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.systems

import java.util.Locale

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.storage.RealPath
import stoplog.storage.s3.S3Library

/** A path without mounts and local links. Two spellings of one place are equal.
  *
  * @param system the scheme and the authority
  */
private[stoplog] final case class CanonicalPath(system: String, names: Vector[String]) {

  /** The path as a URI without escapes. */
  def text: String = names.mkString(s"$system/", "/", "")

  /** Returns the path of a place relative to this place; `None` if the place is outside. */
  def below(other: CanonicalPath): Option[String] =
    Option.when(system == other.system && other.names.startsWith(names))(
      other.names.drop(names.size).mkString("/")
    )
}

private[stoplog] object CanonicalPath {

  /** Returns a path as written if Hadoop does not know or cannot reach its file system.
    *
    * @param on a path on the path's file system, used if the path names no file system
    */
  def of(path: HadoopPath, on: HadoopPath, configuration: Configuration): CanonicalPath = {
    val qualified = Try(on.getFileSystem(configuration).makeQualified(path)).getOrElse(path)
    val resolved  =
      Try(withoutMounts(qualified.getFileSystem(configuration), qualified)).getOrElse(qualified).toUri
    val scheme = Option(resolved.getScheme).fold("")(_.toLowerCase(Locale.ROOT))
    val names  = if (scheme == "file") RealPath.of(resolved.getPath) else resolved.getPath
    CanonicalPath(
      s"${nameOfClient(scheme)}://${authority(scheme, Option(resolved.getAuthority))}",
      names.split('/').toVector.filter(_.nonEmpty)
    )
  }

  /** Resolves mounts: `viewfs` lacks some capabilities of the mounted file systems. An object store has no
    * mounts, and its user may have no right to read above the path.
    */
  private[systems] def withoutMounts(system: FileSystem, path: HadoopPath): HadoopPath = {
    val qualified = system.makeQualified(path)
    if (S3Library.serves(system)) qualified else throughMounts(system, qualified)
  }

  private def throughMounts(system: FileSystem, qualified: HadoopPath): HadoopPath = {
    val there = Iterator.iterate(qualified)(_.getParent).takeWhile(_ != null).find(system.exists)
    there.fold(qualified) { ancestor =>
      val below = qualified.toUri.getPath.drop(ancestor.toUri.getPath.length).stripPrefix("/")
      val real  = system.resolvePath(ancestor)
      if (below.isEmpty) real
      else {
        val uri = real.toUri
        new HadoopPath(uri.getScheme, uri.getAuthority, s"${uri.getPath.stripSuffix("/")}/$below")
      }
    }
  }

  /** Three names of a bucket are equal. */
  private def nameOfClient(scheme: String): String = scheme.replaceFirst("^s3n?$", "s3a")

  private def authority(scheme: String, written: Option[String]): String = {
    val name = written.mkString.toLowerCase(Locale.ROOT)
    if (scheme == "hdfs") name.stripSuffix(DefaultPort) else name
  }

  /** The port of a NameNode without a port in its address. */
  private final val DefaultPort = ":8020"
}
