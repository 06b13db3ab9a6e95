// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, LeaseRecoverable, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults

import stoplog.storage.SourceFiles

import stoplog.storage.local.{LocalFileStore, LocalForcing}
import stoplog.storage.s3.S3FileStore
import stoplog.storage.systems.HadoopSystems
import stoplog.options.SparkHadoop

import stoplog.source.StateFiles
import stoplog.storage.hadoop._
import stoplog.storage.local.LocalSourceFiles

/** Files on whatever storage a path is on. */
private[stoplog] object SourcePlaces {

  /** The files to read under a root.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`, `STOPLOG_SOURCE_PATH` where there is no such server.
    */
  def files(from: SourceRoot): SourceFiles =
    if (isLocal(from.root)) new LocalSourceFiles(from.root.toUri.getPath, Faults.ofThisJvm, from.named)
    else new HadoopSourceFiles(hadoop(from.root))

  /** The state of a source, in its directory of a checkpoint.
    *
    * Errors: `STOPLOG_STORE_NOT_EXCLUSIVE` where two drivers could both write the same record,
    * `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def state(directory: String): StateFiles = {
    val root  = new HadoopPath(directory)
    val files =
      if (isLocal(root)) new LocalFileStore(root.toUri.getPath, drafts = None, LocalForcing.Disk)
      else {
        val there = hadoop(root)
        new HadoopFileStore(there, drafts = None, exclusion(root, there))
      }
    new StateFiles(files, faults = Faults.ofThisJvm)
  }

  private def exclusion(root: HadoopPath, files: HadoopFiles): Exclusion =
    if (renaming(root) == Renaming.Atomic) Exclusion.ByRename
    else if (files.fileSystem.hasPathCapability(root, S3FileStore.Ability)) Exclusion.ByCreate
    else CapabilityProbe.exclusion(files)

  private def hadoop(root: HadoopPath): HadoopFiles = {
    HadoopSystems.refuseUnknown(root.toString, scheme(root), configuration)
    new HadoopFiles(root.toString, new HadoopSettings(configuration), renaming(root))
  }

  private def renaming(root: HadoopPath): Renaming =
    try
      root.getFileSystem(configuration) match {
        case _: LeaseRecoverable => Renaming.Atomic
        case _                   => Renaming.Checked
      }
    catch { case e: IOException => throw Errors.sourcePath(root.toString, HadoopFiles.reason(e)) }

  private def isLocal(path: HadoopPath): Boolean = scheme(path) == "file"

  private def scheme(path: HadoopPath): String =
    Option(path.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(configuration).getScheme)

  private def configuration: Configuration = SparkHadoop.configuration
}
