// SPDX-License-Identifier: Apache-2.0
package stoplog.stores

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.commit.{Announcer, OtherTargets, PathLogs, Replacements, SettledListing, SinkStores}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogFiles, LogRecord, LogRules, LookBack}
import stoplog.part.{PartNaming, RecordShare, RunId}
import stoplog.preflight.{Finding, Lifecycle}
import stoplog.rolling.RollingPolicy
import stoplog.storage._
import stoplog.writing.EpochPolicy

/** The stores of a sink id under a path. Serialized to the executors.
  *
  * @param path as written by the user, for messages
  */
private[stoplog] final class SinkStorage private (
    val path: String,
    val sinkId: String,
    storage: Storage,
    layout: PartLayout,
    rules: LogRules = LogRules.standard,
    ours: OwnTables = OwnTables.AtPath.Log
) extends SinkStores
    with PathLogs
    with Serializable {
  private val driver = Machine.here

  @transient override lazy val parts: PartStore = storage.parts(sinkId, layout)

  @transient override lazy val files: FileStore = storage.files(sinkId)

  @transient override lazy val spoolFiles: SpoolFiles = new SpoolFiles(files, sinkId)

  @transient override lazy val finished: ReplacedFiles = new ReplacedFiles(files, sinkId)

  @transient lazy val records: LogFiles = new LogFiles(files, sinkId, Faults.ofThisJvm)

  /** The limits for bytes of open parts in the record. */
  def inRecord: RecordShare = storage.inRecord

  /** Returns the reason why the storage cannot hold parts with such names in the bucket, if any. */
  def bucketProblem(bucket: String, naming: PartNaming): Option[String] = {
    val name = naming.name(RunId.random(), Long.MaxValue)
    storage.pathProblem(
      PartLayout.Staging(sinkId).inProgress(NewPart(bucket, name, RunId.random()), PartLayout.unique())
    )
  }

  /** Returns the path of a file under the sink's path, for readers of any format. */
  def pathOf(relative: String): HadoopPath = {
    val uri = storage.uri(relative)
    new HadoopPath(uri.getScheme, uri.getAuthority, uri.getPath) // a trailing slash has no effect here
  }

  /** Rejects a storage whose scheme is unknown to Hadoop: compactors read finished files through Hadoop.
    * Error: `STOPLOG_NOT_COMPACTABLE`.
    */
  def refuseCompaction(configuration: Configuration): Unit = {
    val scheme = Storage.scheme(pathOf(""), configuration)
    if (Try(FileSystem.getFileSystemClass(scheme, configuration)).isFailure)
      throw Errors.notCompactable(path, s"Hadoop has no file system for the scheme $scheme")
  }

  /** The files under the path which are visible to readers. */
  def visible: VisibleFiles = new VisibleFiles(files)

  /** Lists the files of the scope for replacement, compaction or file-by-file reading. Error:
    * `STOPLOG_FOREIGN_TABLE`.
    */
  def listed(scope: VisibleFiles.Scope, configuration: Configuration): VisibleListing = {
    refuseAbove(configuration)
    val listing = visible.list(scope)
    new ForeignOwners(ours).refuseIn(path, files, scope, listing)
    listing
  }

  /** Rejects a path whose files a table or another log above the path may name (P-118). Error:
    * `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseAbove(configuration: Configuration): Unit =
    new ForeignOwners(ours).refuseAbove(path, files.describe(""), Storage.above(pathOf(""), configuration))

  /** Returns this log as the origin of announcements.
    *
    * @param sink the sink of batch jobs and replacements; the sink id of a stream
    */
  def announced(sink: String): Announcer.Place =
    Announcer.Place(
      path,
      sink,
      sinkId,
      files,
      () => log,
      () => new SettledListing(this).of(visible.list(VisibleFiles.Scope.Whole).files),
      Faults.ofThisJvm
    )

  /** Warns that a replacing job does not announce to the targets of other writers of the path.
    *
    * @param own the names of the targets of the job
    */
  def warnOfOtherTargets(own: Set[String]): Unit = OtherTargets.warn(path, files, sinkIds(""), own)

  /** The directory of this sink id. A batch job has its own sink id. */
  def job: JobDirectory = jobOf(sinkId)

  /** Returns a new log for each run. The log caches the listing of its last record. */
  override def log: CommitLog = new CommitLog(records, rules)

  /** Checks that the path is writable. Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = {
    storage.probe(sinkId, layout)
    ()
  }

  /** Performs the same check under a scratch sink id, deletes the scratch directory and returns the findings.
    *
    * @param scratch    a sink id which no other sink uses
    * @param userPolicy the rolling policy of the options
    *
    * Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def trial(scratch: String, userPolicy: RollingPolicy): Vector[Finding] = {
    val found =
      try {
        val tried   = storage.probe(scratch, layout)
        val finding =
          if (storage.growth(scratch) == Growth.CreateOnly) Finding.Warning("storage", tried, Growth.Larger)
          else Finding.Ok("storage", tried)
        finding +: Vector(Lifecycle.unknown(userPolicy)).filterNot(_ => storage.finishesAnywhere)
      } catch {
        case NonFatal(e) =>
          Try(jobOf(scratch).delete(Faults.none)) // the caller needs the original error
          throw e
      }
    jobOf(scratch).delete(Faults.none)
    found
  }

  /** The names of a part before it is finished. */
  def names: PartLayout = layout

  /** Returns the rolling policy for this storage. If the storage cannot append to closed files, parts end
    * with their epoch. Otherwise the cost of copying a part in each epoch would grow with its size. The
    * storage is queried as late as possible, because the check may write a file.
    */
  def policy(userPolicy: RollingPolicy): RollingPolicy =
    EpochPolicy(userPolicy, () => storage.growth(sinkId) == Growth.CreateOnly)

  /** Checks, before a task writes its first byte, whether the run is still the newest.
    *
    * Errors: `STOPLOG_FENCED` if a record newer than `seq` exists, `STOPLOG_PATH_NOT_SHARED` if record `seq`
    * does not exist either (I7).
    */
  def refuseIfOvertaken(seq: Long): Unit = log.look(seq) match {
    case LookBack.Newest             => ()
    case LookBack.Overtaken(newer)   => throw Errors.fenced(path, sinkId, newer, "another run")
    case LookBack.Elsewhere(missing) =>
      throw HostPaths.unseenByTask(path, records.describe(missing), driver, Machine.here)
  }

  /** Checks, in a task on any host, whether the host sees a file written by the driver and may write to the
    * path.
    *
    * Errors: `STOPLOG_PATH_NOT_SHARED`, `STOPLOG_NETWORK_FILE_SYSTEM`.
    */
  def refuseUnseen(file: String): Unit = {
    if (files.stat(file).isEmpty) throw HostPaths.unseenByTask(path, file, driver, Machine.here)
    parts.refuseHost()
  }

  /** Returns the same path under another sink id, with parts in the staging directory. */
  def as(otherSinkId: String): SinkStorage = {
    val rules = if (otherSinkId == Replacements.SinkId) LogRules.ofReplacements else LogRules.standard
    new SinkStorage(path, otherSinkId, storage, PartLayout.Staging(otherSinkId), rules, ours)
  }

  /** Returns the same stores, in which the tables of targets at the path are not foreign.
    *
    * @param entries the directories by which the tables are recognized
    */
  def owning(entries: Set[String]): SinkStorage =
    new SinkStorage(
      path,
      sinkId,
      storage,
      layout,
      rules,
      OwnTables.AtPath(OwnTables.AtPath.Log.entries ++ entries)
    )

  def finishesAnywhere: Boolean = storage.finishesAnywhere

  override def storesOf(id: String): SinkStores = as(id)

  override def storesOf(id: String, newest: LogRecord): SinkStores =
    new SinkStorage(path, id, storage, PartLayout.recorded(id, newest.state.settings), ours = ours)

  override def anyLog(id: String): CommitLog =
    new SinkStorage(path, id, storage, PartLayout.Staging(id), LogRules.ofPrepared).log

  /** Returns the sink ids under this path with the given prefix. */
  def sinkIds(prefix: String): Vector[String] =
    files.names(SinkDirectory.Root).filter(_.startsWith(prefix))

  private def jobOf(name: String): JobDirectory = new JobDirectory(storage.files(name), name, visible, ours)
}

private[stoplog] object SinkStorage {

  /** Creates the stores of a sink for writing.
    *
    * @param layout the location of the sink's unfinished parts
    *
    * Errors: `STOPLOG_JAR_MISSING`, `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def of(
      path: String,
      sinkId: String,
      layout: PartLayout,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): SinkStorage = {
    val storage = at(path, durability, truncation, configuration)
    storage.refuseUnfit()
    new SinkStorage(path, sinkId, storage, layout)
  }

  /** Creates stores for inspecting the state of any sink, independent of the sink's write options. */
  def reading(path: String, sinkId: String, configuration: Configuration): SinkStorage =
    prepared(path, sinkId, Durability.Process, configuration)

  /** Creates the stores of a sink with two-phase commit, which only has a log. */
  def prepared(
      path: String,
      sinkId: String,
      durability: Durability,
      configuration: Configuration
  ): SinkStorage = staging(path, sinkId, durability, configuration, LogRules.ofPrepared)

  /** Creates stores for files about which only their location under the path is known. */
  def plain(path: String, sinkId: String, durability: Durability, configuration: Configuration): SinkStorage =
    staging(path, sinkId, durability, configuration, LogRules.standard)

  private def staging(
      path: String,
      sinkId: String,
      durability: Durability,
      configuration: Configuration,
      rules: LogRules
  ): SinkStorage = {
    val storage = at(path, durability, Truncation.Allowed, configuration)
    new SinkStorage(path, sinkId, storage, PartLayout.Staging(sinkId), rules)
  }

  /** Creates the stores of a sink with unknown options: the arguments come from the sink's log, and
    * `truncation` is the mode in which the sink was written.
    *
    * @param layout the location of the sink's unfinished parts
    */
  def recorded(
      path: String,
      sinkId: String,
      layout: PartLayout,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): SinkStorage = {
    val storage = at(path, durability, truncation, configuration)
    new SinkStorage(path, sinkId, storage, layout)
  }

  private def at(
      path: String,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): Storage = Storage.at(path, StorageSettings(durability, truncation, configuration, Faults.ofThisJvm))
}
