// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.systems

import java.io.IOException
import java.net.URI

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{CommonPathCapabilities, FileSystem, LeaseRecoverable, Path => HadoopPath}
import org.apache.hadoop.util.VersionInfo

import stoplog.error.Errors
import stoplog.storage._
import stoplog.storage.hadoop._
import stoplog.storage.hdfs.HdfsStorage
import stoplog.storage.s3.{S3FileStore, S3Library, S3Storage}

/** Accepts all remaining paths. Selects the storage by the capabilities of the Hadoop file system. */
private[stoplog] final class HadoopProvider extends StorageProvider {
  override def scheme: Option[String] = None

  override def at(path: String, uri: URI, settings: StorageSettings): Storage = {
    import settings.{configuration, durability, faults, truncation}
    val parsed = new HadoopPath(uri)
    val scheme = Storage.scheme(parsed, configuration)
    HadoopProvider.refuseUnknown(path, scheme, configuration)
    if (S3Library.serves(scheme, configuration)) S3Library.refusePurge(parsed, configuration)
    def files(root: HadoopPath, renaming: Renaming) =
      new HadoopFiles(root.toString, new HadoopSettings(configuration), renaming, durability)
    Try(resolved(parsed.getFileSystem(configuration), parsed)) match {
      case Success((system, root)) if fencesAndCuts(system, root) =>
        new HdfsStorage(path, files(root, Renaming.Atomic), truncation, faults)
      case Success((system, root)) if uploads(system, root) =>
        // If the bucket is mounted, S3A is unknown until the mounted file system is open.
        if (S3Library.serves(system)) S3Library.refusePurge(root, configuration)
        new S3Storage(path, files(root, Renaming.Checked), faults)
      case Success((_, root)) => new HadoopStorage(path, files(root, Renaming.Checked), truncation, faults)
      case Failure(e: IOException) => throw Errors.pathNotWritable(path, HadoopFiles.reason(e))
      case Failure(e)              => throw e
    }
  }

  private def fencesAndCuts(system: FileSystem, root: HadoopPath): Boolean =
    system.isInstanceOf[LeaseRecoverable] &&
      system.hasPathCapability(root, CommonPathCapabilities.FS_APPEND) &&
      system.hasPathCapability(root, CommonPathCapabilities.FS_TRUNCATE)

  /** Another process can complete an upload, and a record can be created only if it does not exist. */
  private def uploads(system: FileSystem, root: HadoopPath): Boolean =
    system.hasPathCapability(root, CommonPathCapabilities.FS_MULTIPART_UPLOADER) &&
      system.hasPathCapability(root, S3FileStore.Capability)

  /** Resolves mounts: `viewfs` lacks some capabilities of the mounted file systems. An object store has no
    * mounts, and its user may have no right to read above the path.
    */
  private def resolved(system: FileSystem, path: HadoopPath): (FileSystem, HadoopPath) = {
    val qualified = system.makeQualified(path)
    if (S3Library.serves(system)) (system, qualified) else throughMounts(system, qualified)
  }

  private def throughMounts(system: FileSystem, qualified: HadoopPath): (FileSystem, HadoopPath) = {
    val there = Iterator.iterate(qualified)(_.getParent).takeWhile(_ != null).find(system.exists)
    val root  = there.fold(qualified) { ancestor =>
      val below = qualified.toUri.getPath.drop(ancestor.toUri.getPath.length).stripPrefix("/")
      val real  = system.resolvePath(ancestor)
      if (below.isEmpty) real
      else {
        val uri = real.toUri
        new HadoopPath(uri.getScheme, uri.getAuthority, s"${uri.getPath.stripSuffix("/")}/$below")
      }
    }
    (root.getFileSystem(system.getConf), root)
  }
}

private[stoplog] object HadoopProvider {

  /** Rejects a path if the class of its file system, or a dependency of this class, is missing.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`.
    */
  def refuseUnknown(path: String, scheme: String, configuration: Configuration): Unit = {
    if (S3Library.serves(scheme, configuration))
      S3Library.check(path, configuration.getClassLoader, VersionInfo.getVersion)
    Try(FileSystem.getFileSystemClass(scheme, configuration)).failed.foreach { _ =>
      throw Errors.storeUnsupported(path, scheme)
    }
  }
}
