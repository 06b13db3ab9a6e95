// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import java.util.UUID
import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import stoplog.commit._
import stoplog.compact.{CompactionInput, Compactor, MergedOutput, PlannedMerge}
import stoplog.error.{Errors, Log}
import stoplog.fault.Faults
import stoplog.options.{DirectoryOptions, SparkHadoop}
import stoplog.part.{Closed, FinishedPart, PartNaming, RunId}
import stoplog.place.SinkStorage
import stoplog.storage.{Durability, NewPart, VisibleFile}
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.hadoop.HadoopSettings
import stoplog.thread.Daemons
import stoplog.util.UserObject

/** The batch command that compacts the small files of a directory. */
private[stoplog] final class DirectoryMerges private (session: SparkSession, options: DirectoryOptions) {
  import DirectoryMerges._

  private val context = session.sparkContext
  private val storage = storageOf(options.path)
  storage.refuseCompaction(context.hadoopConfiguration)

  def plan(): Seq[PlannedMerge] = groups().map(group => planned(group.inputs))

  def run(): Seq[PlannedMerge] = {
    val now = RunId.random()
    val own = storage.as(s"${JobCommit.Prefix}${UUID.randomUUID()}")
    val job = new CompactionJob(
      now,
      SinkIdentity(storage.path, own.sinkId, own.sinkId),
      own,
      own.job,
      storage,
      DriverTools.ofThisJvm
    )
    job.recover()
    val chosen = groups()
    if (chosen.isEmpty) Nil
    else {
      job.begin()
      val naming = chosen.zipWithIndex.map { case (group, n) => group -> mergeOf(group, now, n.toLong) }
      val done   =
        try naming.grouped(AtOnce).flatMap(mergedTogether(_, own, job)).toVector
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

  /** Returns the files to compact, in groups. Omits files that a query may compact itself. */
  private def groups(): Vector[DirectoryGroup] = {
    if (!storage.pathOf("").getFileSystem(context.hadoopConfiguration).exists(storage.pathOf("")))
      throw Errors.notCompactable(options.path, "there is no such directory")
    val files   = storage.listed(Scope.Whole, context.hadoopConfiguration).files.filter(isSmall)
    val waiting = storage.streams.values.flatMap(_.newest()).flatMap(_.state.small).map(_.path).toSet
    val parts   = files.map(_.asPart).filterNot(file => waiting(file.path))
    val free    = ReplacedSet.hideable(parts, storage.finished).map(_.path).toSet
    DirectoryPlan.groups(files.filter(file => free(file.path)), format, options.policy, storage, context)
  }

  /** Excludes links, whose files may belong to another table, and files without all committed bytes. */
  private def isSmall(file: VisibleFile): Boolean = file.link.isEmpty && file.committedBytes > 0 &&
    file.committedBytes <= file.storedBytes && file.storedBytes < options.policy.smallerThanBytes

  private def mergeOf(group: DirectoryGroup, run: RunId, number: Long): Merge = {
    val directory = group.inputs.head.bucket
    Merge(group.inputs, NewPart(directory, PartNaming(Prefix, group.suffix).merged(run, number), run))
  }

  /** Writes the groups in parallel, and then decides one after the other. */
  private def mergedTogether(
      groups: Vector[(DirectoryGroup, Merge)],
      own: SinkStorage,
      job: CompactionJob
  ): Vector[PlannedMerge] = {
    val hadoop = new HadoopSettings(context.hadoopConfiguration)
    val works  = groups.map { case (group, merge) =>
      MergeWork(merge, own, group.compactor, hadoop, group.committed)
    }
    val made = context.parallelize(works.indices, works.size).map(index => tried(works(index))).collect()
    groups.zip(made).flatMap {
      case ((_, merge), (token, sizeBytes, "")) if job.replace(merge, Merged(Closed(token), sizeBytes)) =>
        Some(planned(merge.inputs))
      case ((_, merge), (_, _, problem)) =>
        val why = if (problem.isEmpty) "one of them has changed meanwhile" else problem
        Log.warn(
          s"${merge.inputs.size} files of '${merge.part.bucket}' under ${options.path} stay as they are: $why"
        )
        None
    }
  }

  private def planned(files: Vector[FinishedPart]): PlannedMerge =
    PlannedMerge(files.head.bucket, files.map(_.name), files.map(_.sizeBytes).sum)

  private def format: DirectoryFormat = {
    val own = options.compactor.map(UserObject.load(_, classOf[Compactor], "compactor"))
    new DirectoryFormat(options, own, context.hadoopConfiguration)
  }
}

private[stoplog] object DirectoryMerges {

  /** Errors: `STOPLOG_INVALID_OPTIONS`, and those of storages. */
  def apply(session: SparkSession, path: String, options: Map[String, String]): DirectoryMerges =
    session.withActive(new DirectoryMerges(session, DirectoryOptions.parse(path, options)))

  private def storageOf(path: String) =
    SinkStorage.plain(path, Replacements.SinkId, Durability.Disk, SparkHadoop.configuration)

  /** Runs in a task. Returns token and size of the part, or the problem: other compactions continue. */
  private def tried(work: MergeWork): (String, Long, String) =
    try {
      val (token, sizeBytes) = work.run()
      (token, sizeBytes, "")
    } catch { case NonFatal(e) => ("", 0L, e.toString) }

  private val Prefix = "part"
  private val AtOnce = 64
}

/** Compacts parts in Spark tasks: each compaction is a Spark job with one task. */
private[stoplog] final class SparkMerger(context: SparkContext, storage: SinkStorage, compactor: Compactor)
    extends Merger {

  override def start(merge: Merge): Merging = {
    val work = MergeWork(merge, storage, compactor, new HadoopSettings(context.hadoopConfiguration))
    new SparkMerger.Running(
      SparkMerger.threads.submit((() => SparkMerger.run(context, work)): Callable[Merged])
    )
  }
}

private[stoplog] object SparkMerger {

  /** Runs the job on the caller's thread, and clears the thread's job group. */
  def run(context: SparkContext, work: MergeWork): Merged = {
    val merge = work.merge
    context.setJobGroup(
      s"stoplog-merge-${UUID.randomUUID()}",
      s"stoplog: ${merge.inputs.size} parts of '${merge.part.bucket}' under ${work.storage.path} become one"
    )
    try {
      val (token, sizeBytes) = context.parallelize(Seq(0), 1).map(_ => work.run()).collect().head
      Merged(Closed(token), sizeBytes)
    } finally context.clearJobGroup()
  }

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-merge"))

  private final class Running(future: Future[Merged]) extends Merging {
    override def result: Option[Either[Throwable, Merged]] = Option.when(future.isDone)(outcome)

    override def await(): Unit = {
      outcome
      ()
    }

    private def outcome: Either[Throwable, Merged] =
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
private[stoplog] final case class MergeWork(
    merge: Merge,
    storage: SinkStorage,
    compactor: Compactor,
    hadoop: HadoopSettings,
    committed: Map[String, Long] = Map.empty
) {

  /** Returns the token of the part and its size in bytes. Each attempt writes to a separate place (I1). */
  def run(): (String, Long) = {
    val inputs = merge.inputs.map { part =>
      CompactionInput(
        storage.pathOf(part.path),
        committed.getOrElse(part.path, part.sizeBytes),
        hadoop.configuration,
        Some(part.records).filter(_ > 0),
        committed.get(part.path).map(_ => part.sizeBytes)
      )
    }
    merge.inputs.foreach(refuseIfChanged)
    val parts = storage.parts
    Using.resource(new MergedOutput(parts.create(merge.part), Faults.ofThisJvm)) { out =>
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
