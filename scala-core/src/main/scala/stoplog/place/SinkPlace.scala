// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.io.IOException

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{CommonPathCapabilities, FileSystem, LeaseRecoverable, Path => HadoopPath}
import org.apache.hadoop.util.VersionInfo

import stoplog.error.Errors
import stoplog.log.RecordStore
import stoplog.preflight.Finding
import stoplog.rolling.RollingPolicy
import stoplog.store.{
  Durability, FinishedStore, JobStore, NoteStore, PartLayout, PartStore, SideStore, Truncation
}
import stoplog.store.hadoop.{HadoopFiles, HadoopSettings, Renaming}
import stoplog.store.s3.{S3Library, S3Purge, S3Records}

/** One path on one kind of storage: which stores go there. Goes to the executors. */
private[stoplog] trait SinkPlace extends Serializable {
  def parts(sinkId: String, layout: PartLayout): PartStore
  def sides(sinkId: String): SideStore
  def finished(sinkId: String): FinishedStore
  def records(sinkId: String): RecordStore

  /** What is written for readers beside the parts; not asked what the storage can do before something is written. */
  def notes(sinkId: String): NoteStore

  def pathOf(relative: String): HadoopPath
  def job(sinkId: String): JobStore

  /** The sink ids that there are, by the beginning of their names. */
  def sinkIds(prefix: String): Vector[String]

  /** Whether it can be written to; tries what the sink will need. Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(sinkId: String, layout: PartLayout): Unit

  /** What [[probe]] has shown, once it has raised nothing.
    *
    * @param policy that was asked for
    */
  def shown(sinkId: String, policy: RollingPolicy): Vector[Finding]

  /** What can be known of that without writing: a start may still be refused, and must then have changed nothing.
    * Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseIfHopeless(): Unit

  /** Whether an unfinished part can be finished under any name, and not only under the one that it began with. */
  def finishesAnywhere: Boolean = true

  /** When parts are closed here: whenever the user's policy says so, and by the nature of the storage maybe before. */
  def policy(sinkId: String, asked: RollingPolicy): RollingPolicy = asked
}

private[stoplog] object SinkPlace {

  /** By what the path's file system can do. Read as Hadoop reads paths, so that a path means what it means to Spark's
    * own formats.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`, `STOPLOG_UPLOAD_PURGE`, `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def of(
      path: String,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): SinkPlace = {
    val parsed =
      try new HadoopPath(path)
      catch { case e: IllegalArgumentException => throw Errors.pathNotWritable(path, e.getMessage) }
    val scheme = Option(parsed.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(configuration).getScheme)
    if (scheme == "file") OnDisk(path, parsed, durability)
    else {
      refuseUnknown(path, scheme, configuration)
      if (scheme == "s3a") S3Purge.refuse(parsed, configuration)
      def files(root: HadoopPath, renaming: Renaming) =
        new HadoopFiles(root.toString, new HadoopSettings(configuration), renaming)
      Try(resolved(parsed.getFileSystem(configuration), parsed)) match {
        case Success((system, root)) if fencesAndCuts(system, root) =>
          OnHdfs(path, files(root, Renaming.Atomic), durability, truncation)
        case Success((system, root)) if uploads(system, root) => OnS3(path, files(root, Renaming.Checked))
        case Success((_, root)) => new OnHadoop(path, files(root, Renaming.Checked), durability, truncation)
        case Failure(e: IOException) => throw Errors.pathNotWritable(path, HadoopFiles.reason(e))
        case Failure(e)              => throw e
      }
    }
  }

  /** Whether Hadoop has the class of a path's file system, and what that needs.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`.
    */
  def refuseUnknown(path: String, scheme: String, configuration: Configuration): Unit = {
    if (scheme == "s3a") S3Library.check(path, configuration.getClassLoader, VersionInfo.getVersion)
    Try(FileSystem.getFileSystemClass(scheme, configuration)).failed.foreach { _ =>
      throw Errors.storeUnsupported(path, scheme)
    }
  }

  /** Where a path leads that goes through mounts: `viewfs` has not all abilities of what is mounted. An object store has
    * none, and who writes there may have no right to look at what lies above the path.
    */
  private def resolved(system: FileSystem, path: HadoopPath): (FileSystem, HadoopPath) = {
    val qualified = system.makeQualified(path)
    if (system.getScheme == "s3a") (system, qualified) else throughMounts(system, qualified)
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

  private def fencesAndCuts(system: FileSystem, root: HadoopPath): Boolean =
    system.isInstanceOf[LeaseRecoverable] &&
      system.hasPathCapability(root, CommonPathCapabilities.FS_APPEND) &&
      system.hasPathCapability(root, CommonPathCapabilities.FS_TRUNCATE)

  /** An upload can be completed by another process, and a record created only where there is none. */
  private def uploads(system: FileSystem, root: HadoopPath): Boolean =
    system.hasPathCapability(root, CommonPathCapabilities.FS_MULTIPART_UPLOADER) &&
      system.hasPathCapability(root, S3Records.Ability)
}
