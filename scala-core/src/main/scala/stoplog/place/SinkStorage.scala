// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.commit.{EpochPolicy, PathLogs, Replacements, SinkStores}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogFiles, LogRecord, LogRules, LookBack}
import stoplog.part.{PartNaming, RecordShare, RunId}
import stoplog.preflight.{Finding, Lifecycle}
import stoplog.rolling.RollingPolicy
import stoplog.storage._

/** The stores of one sink id under one path. Goes to the executors.
  *
  * @param path as the user wrote it, for messages
  */
private[stoplog] final class SinkStorage private (
    val path: String,
    val sinkId: String,
    storage: Storage,
    layout: PartLayout,
    lengths: ValidLengthNames,
    rules: LogRules = LogRules.standard
) extends SinkStores
    with PathLogs
    with Serializable {
  private val driver = Machine.here

  @transient override lazy val parts: PartStore = storage.parts(sinkId, layout)

  @transient override lazy val files: FileStore = storage.files(sinkId)

  @transient override lazy val spoolFiles: SpoolFiles = new SpoolFiles(files, sinkId)

  @transient override lazy val finished: ReplacedFiles = new ReplacedFiles(files, sinkId)

  @transient lazy val records: LogFiles = new LogFiles(files, sinkId, Faults.ofThisJvm)

  /** What its open parts may have in the record. */
  def inRecord: RecordShare = storage.inRecord

  /** The reason why no part with such a name can be in the bucket, if the storage has one. */
  def bucketProblem(bucket: String, naming: PartNaming): Option[String] = {
    val name = naming.name(RunId.random(), Long.MaxValue)
    storage.pathProblem(
      PartLayout.Staging(sinkId).inProgress(NewPart(bucket, name, RunId.random()), PartLayout.unique())
    )
  }

  /** A file under the path, for readers of any format. */
  def pathOf(relative: String): HadoopPath = {
    val uri = storage.uri(relative)
    new HadoopPath(uri.getScheme, uri.getAuthority, uri.getPath) // which a slash at the end does not change
  }

  /** Refuses a storage with a scheme that Hadoop does not know: compactors read finished files through Hadoop. Error:
    * `STOPLOG_NOT_COMPACTABLE`.
    */
  def refuseCompaction(configuration: Configuration): Unit = {
    val scheme = Storage.scheme(pathOf(""), configuration)
    if (Try(FileSystem.getFileSystemClass(scheme, configuration)).isFailure)
      throw Errors.notCompactable(path, s"Hadoop has no file system for the scheme $scheme")
  }

  /** The files under the path that readers see. */
  def visible: VisibleFiles = new VisibleFiles(files, Vector(lengths, ValidLengthNames.standard).distinct)

  /** Lists the files of the scope that may be replaced, compacted or read one by one. Error: `STOPLOG_FOREIGN_TABLE`. */
  def listed(scope: VisibleFiles.Scope, configuration: Configuration): VisibleListing = {
    val owners = new ForeignOwners()
    owners.refuseAbove(path, files.describe(""), Storage.above(pathOf(""), configuration))
    val listing = visible.list(scope)
    owners.refuseBelow(path, files, listing)
    listing
  }

  /** The directory of this sink id, which for a batch job is its own. */
  def job: JobDirectory = jobOf(sinkId)

  /** New for each run, which keeps in it the listing of its last record. */
  override def log: CommitLog = new CommitLog(records, rules)

  /** Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = {
    storage.probe(sinkId, layout)
    ()
  }

  /** Does the same under the name of a sink that is gone afterwards, and says what that has shown.
    *
    * @param scratch a sink id that no other sink has
    * @param asked   the rolling policy of the options
    * Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def trial(scratch: String, asked: RollingPolicy): Vector[Finding] = {
    val found =
      try {
        val tried   = storage.probe(scratch, layout)
        val finding =
          if (storage.growth(scratch) == Growth.CreateOnly) Finding.Warning("storage", tried, Growth.Larger)
          else Finding.Ok("storage", tried)
        finding +: Vector(Lifecycle.unknown(asked)).filterNot(_ => storage.finishesAnywhere)
      } catch {
        case NonFatal(e) =>
          Try(jobOf(scratch).delete(Faults.none)) // what it was refused for is what has to be told
          throw e
      }
    jobOf(scratch).delete(Faults.none)
    found
  }

  /** The names of a part before it is finished. */
  def names: PartLayout = layout

  /** The rolling policy on this storage. Parts of a storage whose closed files cannot grow end with their epoch: to copy them
    * anew each time would cost more and more. The storage is asked as late as possible, since it may have to write to find
    * that out.
    */
  def policy(asked: RollingPolicy): RollingPolicy =
    EpochPolicy(asked, () => storage.growth(sinkId) == Growth.CreateOnly)

  /** For a task, before its first byte.
    *
    * Errors: `STOPLOG_FENCED` if there is a record newer than `seq`, `STOPLOG_PATH_NOT_SHARED` if `seq` is not there
    * either (I7).
    */
  def refuseIfOvertaken(seq: Long): Unit = log.look(seq) match {
    case LookBack.Newest             => ()
    case LookBack.Overtaken(newer)   => throw Errors.fenced(path, sinkId, newer, "another run")
    case LookBack.Elsewhere(missing) =>
      throw HostPaths.unseenByTask(path, records.describe(missing), driver, Machine.here)
  }

  /** For a task on any host: whether it sees a file that the driver has written, and may write there.
    *
    * Errors: `STOPLOG_PATH_NOT_SHARED`, `STOPLOG_NETWORK_FILE_SYSTEM`.
    */
  def refuseUnseen(file: String): Unit = {
    if (files.stat(file).isEmpty) throw HostPaths.unseenByTask(path, file, driver, Machine.here)
    parts.refuseHost()
  }

  /** The same path under another sink id, parts in the staging directory. */
  def as(otherSinkId: String): SinkStorage = {
    val rules = if (otherSinkId == Replacements.SinkId) LogRules.ofReplacements else LogRules.standard
    new SinkStorage(path, otherSinkId, storage, PartLayout.Staging(otherSinkId), lengths, rules)
  }

  def finishesAnywhere: Boolean = storage.finishesAnywhere

  override def storesOf(id: String): SinkStores = as(id)

  override def storesOf(id: String, newest: LogRecord): SinkStores =
    new SinkStorage(path, id, storage, PartLayout.recorded(id, newest.state.settings), lengths)

  override def anyLog(id: String): CommitLog =
    new SinkStorage(path, id, storage, PartLayout.Staging(id), lengths, LogRules.ofPrepared).log

  /** The sink ids under this path whose names begin like this. */
  def sinkIds(prefix: String): Vector[String] =
    files.names(SinkDirectory.Root).filter(_.startsWith(prefix))

  private def jobOf(name: String): JobDirectory = new JobDirectory(storage.files(name), name, visible)
}

private[stoplog] object SinkStorage {

  /** Of a sink that is to be written to.
    *
    * @param layout where its unfinished parts are
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_PATH_NOT_WRITABLE`.
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
    new SinkStorage(path, sinkId, storage, layout, ValidLengthNames.of(truncation))
  }

  /** For looking at the state of any sink, which needs nothing of how it is written. */
  def reading(path: String, sinkId: String, configuration: Configuration): SinkStorage =
    prepared(path, sinkId, Durability.Process, configuration)

  /** Of a sink that commits in two phases, which has a log alone. */
  def prepared(
      path: String,
      sinkId: String,
      durability: Durability,
      configuration: Configuration
  ): SinkStorage = staging(path, sinkId, durability, configuration, LogRules.ofPrepared)

  /** Of files, of which nothing is known but that they are under the path. */
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
    new SinkStorage(path, sinkId, storage, PartLayout.Staging(sinkId), ValidLengthNames.standard, rules)
  }

  /** Of a sink whose options are not known: as its log says, and `truncation`, that it was written.
    *
    * @param layout where its unfinished parts are
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
    new SinkStorage(path, sinkId, storage, layout, ValidLengthNames.of(truncation))
  }

  private def at(
      path: String,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): Storage = Storage.at(path, StorageSettings(durability, truncation, configuration, Faults.ofThisJvm))
}
