// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.systems

import java.io.IOException
import java.net.URI

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.fs.{CommonPathCapabilities, FileSystem, LeaseRecoverable, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.storage._
import stoplog.storage.hadoop._
import stoplog.storage.hdfs.HdfsStorage
import stoplog.storage.s3.{S3FileStore, S3Purge, S3Storage}

/** Takes each path that no other provider takes, by what its Hadoop file system can do. */
private[stoplog] final class HadoopProvider extends StorageProvider {
  override def scheme: Option[String] = None

  override def at(path: String, uri: URI, settings: StorageSettings): Storage = {
    import settings.{configuration, durability, faults, truncation}
    val parsed = new HadoopPath(uri)
    val scheme = Storage.scheme(parsed, configuration)
    HadoopSystems.refuseUnknown(path, scheme, configuration)
    if (scheme == "s3a") S3Purge.refuse(parsed, configuration)
    def files(root: HadoopPath, renaming: Renaming) =
      new HadoopFiles(root.toString, new HadoopSettings(configuration), renaming, durability)
    Try(HadoopSystems.resolved(parsed.getFileSystem(configuration), parsed)) match {
      case Success((system, root)) if fencesAndCuts(system, root) =>
        new HdfsStorage(path, files(root, Renaming.Atomic), truncation, faults)
      case Success((system, root)) if uploads(system, root) =>
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

  /** An upload can be completed by another process, and a record created only where there is none. */
  private def uploads(system: FileSystem, root: HadoopPath): Boolean =
    system.hasPathCapability(root, CommonPathCapabilities.FS_MULTIPART_UPLOADER) &&
      system.hasPathCapability(root, S3FileStore.Ability)
}
