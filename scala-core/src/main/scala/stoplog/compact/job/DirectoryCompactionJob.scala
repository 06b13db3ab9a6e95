// SPDX-License-Identifier: Apache-2.0
package stoplog.compact.job

import java.util.UUID
import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.util.control.NonFatal
import scala.util.{Try, Using}

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import stoplog.commit._
import stoplog.compact.{CompactedOutput, CompactionInput, Compactor, PlannedCompaction}
import stoplog.error.{Errors, Log, Redaction}
import stoplog.fault.Faults
import stoplog.options.{DirectoryOptions, SparkHadoop}
import stoplog.part.{Closed, FinishedPart, PartNaming, RunId}
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.{Durability, NewPart, VisibleFile}
import stoplog.storage.hadoop.HadoopSettings
import stoplog.stores.SinkStorage
import stoplog.thread.Daemons
import stoplog.util.UserObject

/** The batch command that compacts the small files of a directory. */
private[stoplog] final class DirectoryCompactionJob private (
    session: SparkSession,
    options: DirectoryOptions
) {
  import DirectoryCompactionJob._

  private val context       = session.sparkContext
  private val configuration = SparkHadoop.of(session)
  private val storage       = storageOf(options.path).owning(options.announce.tableEntries)
  storage.refuseCompaction(configuration)

  def plan(): Seq[PlannedCompaction] = groups().map(group => planned(group.inputs))

  def run(): Seq[PlannedCompaction] = {
    storage.warnOfOtherTargets(options.announce.names)
    val announcer = announcerOf()
    try run(DriverTools.ofThisJvm.copy(announcing = announcer.fold(kept)(new SharedLog(_, kept))))
    finally announcer.foreach(_.end())
  }

  private def run(tools: DriverTools): Seq[PlannedCompaction] = {
    val now = RunId.random()
    val own = storage.as(s"${JobCommit.Prefix}${UUID.randomUUID()}")
    val job = new CompactionJob(
      now,
      SinkIdentity(storage.path, own.sinkId, own.sinkId),
      own,
      own.job,
      storage,
      tools
    )
    job.recover()
    val chosen = groups()
    if (chosen.isEmpty) Nil
    else {
      job.begin()
      val naming = chosen.zipWithIndex.map { case (group, n) => group -> taskOf(group, now, n.toLong) }
      val done   =
        try naming.grouped(AtOnce).flatMap(compactedInParallel(_, own, job)).toVector
        catch {
          case NonFatal(e) =>
            try job.abort()
            catch { case NonFatal(later) => e.addSuppressed(later) }
            throw e
        }
      job.end()
      done
    }
  }

  /** A new target receives the records of this job. */
  private def announcerOf(): Option[Announcer] =
    if (options.announce.targets.isEmpty) None
    else {
      val next = OtherTargets.next(storage.files, storage.log)
      options.announce.start(storage.announced(storage.sinkId), Some(next))
    }

  /** Keeps the records that targets of other jobs need. */
  private def kept: Announcing = new StoredCursors(storage.files, storage.sinkId)

  /** Returns the files to compact, in groups. Omits files that a query may compact itself. */
  private def groups(): Vector[DirectoryGroup] = {
    if (!storage.pathOf("").getFileSystem(configuration).exists(storage.pathOf("")))
      throw Errors.notCompactable(options.path, "the directory does not exist")
    val files   = storage.listed(Scope.Whole, configuration).files.filter(isSmall)
    val waiting = storage.streams.values.flatMap(_.newest()).flatMap(_.state.small).map(_.path).toSet
    val parts   = files.map(_.asPart).filterNot(file => waiting(file.path))
    val free    = ReplacedSet.hideable(parts, storage.finished).map(_.path).toSet
    DirectoryPlan.groups(files.filter(file => free(file.path)), format, options.policy, storage, context)
  }

  /** Excludes links, whose files may belong to another table, and files without all committed bytes. */
  private def isSmall(file: VisibleFile): Boolean = file.link.isEmpty && file.committedBytes > 0 &&
    file.committedBytes <= file.storedBytes && file.storedBytes < options.policy.smallerThanBytes

  private def taskOf(group: DirectoryGroup, run: RunId, number: Long): CompactionTask = {
    val directory = group.inputs.head.bucket
    CompactionTask(
      group.inputs,
      NewPart(directory, PartNaming(Prefix, group.suffix).compacted(run, number), run)
    )
  }

  /** Writes the groups in parallel, and then decides one after the other. Returns the completed and failed
    * compactions. Omits a group with a changed file: another program has replaced or removed the file.
    */
  private def compactedInParallel(
      groups: Vector[(DirectoryGroup, CompactionTask)],
      own: SinkStorage,
      job: CompactionJob
  ): Vector[PlannedCompaction] = {
    val hadoop = new HadoopSettings(configuration)
    val works  = groups.map { case (group, task) =>
      CompactionWork(task, own, group.compactor, hadoop, group.committed)
    }
    val made = context.parallelize(works.indices, works.size).map(index => tried(works(index))).collect()
    groups.zip(made).flatMap {
      case ((_, task), (token, sizeBytes, ""))
          if job.replace(task, CompactedPart(Closed(token), sizeBytes)) =>
        Some(planned(task.inputs))
      case ((_, task), (_, _, problem)) =>
        val why = if (problem.isEmpty) "one of them has changed meanwhile" else problem
        Log.warn(
          s"${task.inputs.size} files of '${task.part.bucket}' under ${options.path} stay as they are: $why"
        )
        // Without an answer of the storage, the group counts as failed.
        Option.when(problem.nonEmpty && Try(job.isCurrent(task)).getOrElse(true))(
          planned(task.inputs).copy(problem = Redaction.text(problem))
        )
    }
  }

  private def planned(files: Vector[FinishedPart]): PlannedCompaction =
    PlannedCompaction(files.head.bucket, files.map(_.name), files.map(_.sizeBytes).sum)

  private def format: DirectoryFormat = {
    val own = options.compactor.map(UserObject.load(_, classOf[Compactor], "compactor"))
    new DirectoryFormat(options, own, configuration)
  }
}

private[stoplog] object DirectoryCompactionJob {

  /** Errors: `STOPLOG_INVALID_OPTIONS`, and those of storages. */
  def apply(session: SparkSession, path: String, options: Map[String, String]): DirectoryCompactionJob =
    session.withActive(new DirectoryCompactionJob(session, DirectoryOptions.parse(path, options)))

  private def storageOf(path: String) =
    SinkStorage.plain(path, Replacements.SinkId, Durability.Disk, SparkHadoop.configuration)

  /** Runs in a task. Returns token and size of the part, or the problem: other compactions continue. */
  private def tried(work: CompactionWork): (String, Long, String) =
    try {
      val (token, sizeBytes) = work.run()
      (token, sizeBytes, "")
    } catch { case NonFatal(e) => ("", 0L, e.toString) }

  private val Prefix = "part"
  private val AtOnce = 64
}

/** Compacts parts in Spark tasks: each compaction is a Spark job with one task. */
private[stoplog] final class SparkCompactionRunner(
    context: SparkContext,
    storage: SinkStorage,
    compactor: Compactor
) extends CompactionRunner {

  private val hadoop = new HadoopSettings(SparkHadoop.configuration) // later calls have no session

  override def start(task: CompactionTask): RunningCompaction = {
    val work = CompactionWork(task, storage, compactor, hadoop)
    new SparkCompactionRunner.Running(
      SparkCompactionRunner.threads.submit(
        (() => SparkCompactionRunner.run(context, work)): Callable[CompactedPart]
      )
    )
  }
}

private[stoplog] object SparkCompactionRunner {

  /** Runs the job on the caller's thread, and clears the thread's job group. */
  def run(context: SparkContext, work: CompactionWork): CompactedPart = {
    val task = work.task
    context.setJobGroup(
      s"stoplog-merge-${UUID.randomUUID()}",
      s"stoplog: ${task.inputs.size} parts of '${task.part.bucket}' under ${work.storage.path} become one"
    )
    try {
      val (token, sizeBytes) = context.parallelize(Seq(0), 1).map(_ => work.run()).collect().head
      CompactedPart(Closed(token), sizeBytes)
    } finally context.clearJobGroup()
  }

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-merge"))

  private final class Running(future: Future[CompactedPart]) extends RunningCompaction {
    override def result: Option[Either[Throwable, CompactedPart]] = Option.when(future.isDone)(outcome)

    override def await(): Unit = {
      outcome
      ()
    }

    private def outcome: Either[Throwable, CompactedPart] =
      try Right(future.get())
      catch {
        case e: ExecutionException => Left(e.getCause)
        case NonFatal(e)           => Left(e)
      }
  }
}

/** One compaction, as run by a task.
  *
  * @param committed the committed bytes of the inputs with further bytes, by path
  */
private[stoplog] final case class CompactionWork(
    task: CompactionTask,
    storage: SinkStorage,
    compactor: Compactor,
    hadoop: HadoopSettings,
    committed: Map[String, Long] = Map.empty
) {

  /** Returns the token of the part and its size in bytes. Each attempt writes to a separate place (I1). */
  def run(): (String, Long) = {
    val inputs = task.inputs.map { part =>
      CompactionInput(
        storage.pathOf(part.path),
        committed.getOrElse(part.path, part.sizeBytes),
        hadoop.configuration,
        Some(part.records).filter(_ > 0),
        committed.get(part.path).map(_ => part.sizeBytes)
      )
    }
    task.inputs.foreach(refuseIfChanged)
    val parts = storage.parts
    Using.resource(new CompactedOutput(parts.create(task.part), Faults.ofThisJvm)) { out =>
      compactor.compact(inputs, out)
      if (out.position == 0) throw new IllegalStateException(s"$compactor has written nothing")
      val handle = parts.closed(out.finish(), out.position)
      (handle.token, out.position)
    }
  }

  private def refuseIfChanged(part: FinishedPart): Unit = {
    val path   = storage.pathOf(part.path)
    val actual = path.getFileSystem(hadoop.configuration).getFileStatus(path).getLen
    if (actual != part.sizeBytes)
      throw new IllegalStateException(
        s"$path has $actual bytes, and had ${part.sizeBytes} when it was published"
      )
  }
}
