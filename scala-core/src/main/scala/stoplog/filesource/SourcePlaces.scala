// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{LeaseRecoverable, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.options.SparkHadoop
import stoplog.source.StateFiles
import stoplog.storage.{ForeignOwners, OwnTables, SourceFiles, Storage, TableFormat}
import stoplog.storage.hadoop._
import stoplog.storage.hadoop.CapabilityProbe.Exclusion
import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalSourceFiles}
import stoplog.storage.s3.S3FileStore
import stoplog.storage.systems.HadoopProvider

/** The files of a source, on the storage of their path. */
private[stoplog] object SourcePlaces {

  /** Returns the files to read under a root.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`, `STOPLOG_SOURCE_PATH` for a server that does
    * not exist.
    */
  def files(from: SourceRoot): SourceFiles =
    if (isLocal(from.root)) {
      Storage.localProblem(from.root.toUri).foreach(why => throw Errors.sourcePath(from.root.toString, why))
      new CountedFiles(new LocalSourceFiles(from.root.toUri.getPath, Faults.ofThisJvm, from.named))
    } else new HadoopSourceFiles(hadoop(from.root))

  /** Rejects a root in a table's directory. The directory of a stoplog sink is permitted, because it shows
    * only committed files. Error: `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseForeign(from: SourceRoot): Unit = new ForeignOwners(OwnTables.Formats(Set(TableFormat.Stoplog)))
    .refuseAbove(from.root.toString, describe(from), Storage.above(from.root, configuration))

  private def describe(from: SourceRoot): String = files(from).describe("")

  /** Returns the state of a source, in its directory of a checkpoint.
    *
    * Errors: `STOPLOG_STORE_NOT_EXCLUSIVE` if two drivers could both write the same record,
    * `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def state(directory: String): StateFiles = {
    val root  = new HadoopPath(directory)
    val files =
      if (isLocal(root)) {
        Storage.localProblem(root.toUri).foreach(why => throw Errors.pathNotWritable(directory, why))
        new LocalFileStore(root.toUri.getPath, drafts = None, LocalForcing.Disk)
      } else {
        val there = hadoop(root)
        new HadoopFileStore(there, drafts = None, exclusion(root, there))
      }
    new StateFiles(files, faults = Faults.ofThisJvm)
  }

  private def exclusion(root: HadoopPath, files: HadoopFiles): Exclusion =
    if (renaming(root) == Renaming.Atomic) Exclusion.ByRename
    else if (files.fileSystem.hasPathCapability(root, S3FileStore.Capability)) Exclusion.ByCreate
    else CapabilityProbe.exclusion(files)

  private def hadoop(root: HadoopPath): HadoopFiles = {
    HadoopProvider.refuseUnknown(root.toString, Storage.scheme(root, configuration), configuration)
    new HadoopFiles(root.toString, new HadoopSettings(configuration), renaming(root))
  }

  private def renaming(root: HadoopPath): Renaming =
    try
      root.getFileSystem(configuration) match {
        case _: LeaseRecoverable => Renaming.Atomic
        case _                   => Renaming.Checked
      }
    catch { case e: IOException => throw Errors.sourcePath(root.toString, HadoopFiles.reason(e)) }

  private def isLocal(path: HadoopPath): Boolean = Storage.scheme(path, configuration) == "file"

  private def configuration: Configuration = SparkHadoop.configuration
}
