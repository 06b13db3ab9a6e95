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
import stoplog.storage.hadoop.CapabilityProbe.Exclusion
import stoplog.storage.hdfs.HdfsStorage
import stoplog.storage.hdfs.HdfsStorage.HdfsFileStore
import stoplog.storage.s3.{S3FileStore, S3Library, S3Storage, S3Versions}

/** Accepts all remaining paths. Selects the storage by the capabilities of the Hadoop file system. */
private[stoplog] final class HadoopProvider extends StorageProvider {
  import HadoopProvider.Resolved

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
      case Success(there) if there.renaming == Renaming.Atomic =>
        new HdfsStorage(path, files(there.root, Renaming.Atomic), truncation, faults)
      case Success(there) if there.uploads =>
        // If the bucket is mounted, S3A is unknown until the mounted file system is open.
        if (S3Library.serves(there.system)) S3Library.refusePurge(there.root, configuration)
        new S3Storage(path, files(there.root, Renaming.Checked), faults)
      case Success(there) => new HadoopStorage(path, files(there.root, Renaming.Checked), truncation, faults)
      case Failure(e: IOException) => throw Errors.pathNotWritable(path, HadoopFiles.reason(e))
      case Failure(e)              => throw e
    }
  }

  /** Keeps the path as the user wrote it: messages and readers name the files by this path. */
  override def input(root: SourceLocation, settings: StorageSettings): SourceFiles = {
    val there    = read(root.path, new HadoopPath(root.uri), settings.configuration)
    val versions = if (S3Library.serves(there.system)) S3Versions else ListedVersions.Unsupported
    new HadoopSourceFiles(
      new HadoopFiles(root.path, new HadoopSettings(settings.configuration), there.renaming),
      versions,
      root.named
    )
  }

  override def state(path: String, uri: URI, settings: StorageSettings): FileStore = {
    val there = read(path, new HadoopPath(uri), settings.configuration)
    val files = new HadoopFiles(
      there.root.toString,
      new HadoopSettings(settings.configuration),
      there.renaming,
      settings.durability
    )
    if (there.renaming == Renaming.Atomic) new HdfsFileStore(files, drafts = None)
    else {
      val exclusion =
        if (createsAlone(path, there)) StoreExclusion.Known(Exclusion.ByCreate)
        else new StoreExclusion.Tried(files)
      new HadoopFileStore(files, drafts = None, exclusion)
    }
  }

  private def createsAlone(path: String, there: Resolved): Boolean =
    try there.createsAlone
    catch { case e: IOException => throw Errors.pathNotWritable(path, HadoopFiles.reason(e)) }

  /** Returns the file system of a source's path. A path that cannot be resolved yet is used as it is. */
  private def read(path: String, parsed: HadoopPath, configuration: Configuration): Resolved = {
    HadoopProvider.refuseUnknown(path, Storage.scheme(parsed, configuration), configuration)
    val system =
      try parsed.getFileSystem(configuration)
      catch { case e: IOException => throw Errors.sourcePath(path, HadoopFiles.reason(e)) }
    Try(resolved(system, parsed)).getOrElse(Resolved(system, parsed))
  }

  private def resolved(system: FileSystem, path: HadoopPath): Resolved = {
    val root = CanonicalPath.withoutMounts(system, path)
    Resolved(if (S3Library.serves(system)) system else root.getFileSystem(system.getConf), root)
  }
}

private[stoplog] object HadoopProvider {

  /** A path without mounts, and its file system. */
  private final case class Resolved(system: FileSystem, root: HadoopPath) {

    /** Leases alone do not show HDFS: Ozone has leases, and renames by other rules. */
    def renaming: Renaming = system match {
      case _: LeaseRecoverable
          if has(CommonPathCapabilities.FS_APPEND) && has(CommonPathCapabilities.FS_TRUNCATE) =>
        Renaming.Atomic
      case _ => Renaming.Checked
    }

    /** Another process can complete an upload, and a record can be created only if it does not exist. */
    def uploads: Boolean = has(CommonPathCapabilities.FS_MULTIPART_UPLOADER) && createsAlone

    def createsAlone: Boolean = has(S3FileStore.Capability)

    private def has(capability: String): Boolean = system.hasPathCapability(root, capability)
  }

  /** Rejects a path if the class of its file system, or a dependency of this class, is missing.
    *
    * Errors: `STOPLOG_JAR_MISSING`.
    */
  def refuseUnknown(path: String, scheme: String, configuration: Configuration): Unit = {
    if (S3Library.serves(scheme, configuration))
      S3Library.check(path, configuration.getClassLoader, VersionInfo.getVersion)
    Try(FileSystem.getFileSystemClass(scheme, configuration)).failed.foreach { _ =>
      throw Errors.storeUnsupported(path, scheme)
    }
  }
}
