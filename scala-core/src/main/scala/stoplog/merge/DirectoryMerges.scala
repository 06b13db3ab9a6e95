// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession

import stoplog.compact.PlannedMerge
import stoplog.commit._
import stoplog.compact.Compactor
import stoplog.error.Log
import stoplog.options.SparkHadoop
import stoplog.part.{Closed, FinishedPart, PartNaming, RunId}
import stoplog.place.SinkStorage

import stoplog.options.DirectoryOptions
import stoplog.storage.Durability
import stoplog.storage.NewPart
import stoplog.storage.hadoop.HadoopSettings
import stoplog.util.UserObject

/** The batch command that merges the small files of a directory: what it finds, and how it goes about it. */
private[stoplog] final class DirectoryMerges private (session: SparkSession, options: DirectoryOptions) {
  import DirectoryMerges._

  private val context = session.sparkContext
  private val storage = storageOf(options.path)
  storage.refuseCompaction(context.hadoopConfiguration)

  def plan(): Seq[PlannedMerge] = groups().map(group => planned(group.inputs))

  def run(): Seq[PlannedMerge] = {
    val now    = RunId.random()
    val commit = commitOf(storage, now)
    commit.carryOut()
    val chosen = groups()
    if (chosen.isEmpty) Nil
    else {
      commit.begin()
      Overwrite.refuseUnderWay(options.path, jobs, storage.files)
      Rewind.refuseUnderWay(options.path, sinks)
      val naming =
        chosen.filter(isFree).zipWithIndex.map { case (group, n) => group -> mergeOf(group, now, n.toLong) }
      val done = naming.grouped(AtOnce).flatMap(mergedTogether(_, commit)).toVector
      commit.end()
      done
    }
  }

  private def groups(): Vector[DirectoryGroup] = {
    val files = new DirectoryListing(options.path, storage.pathOf(""), context.hadoopConfiguration)
      .smallerThan(options.policy.smallerThanBytes)
    val free = CompactionCommit.free(files, sinks.values)(_.path)
    DirectoryPlan.groups(free, format, options.policy, storage, context)
  }

  /** A choice from before the claim may have been set back since. */
  private def isFree(group: DirectoryGroup): Boolean =
    CompactionCommit.free(group.inputs, sinks.values)(_.path).size == group.inputs.size

  private def sinks = sinkIds.map(id => id -> storage.as(id).log).toMap

  private def jobs = storage.sinkIds(JobCommit.Prefix).map(job => job -> storage.as(job).log).toMap

  private def sinkIds: Vector[String] = storage.sinkIds(prefix = "").filterNot(_ == SinkId)

  private def mergeOf(group: DirectoryGroup, run: RunId, number: Long): Merge = {
    val directory = group.inputs.head.bucket
    Merge(group.inputs, NewPart(directory, PartNaming(Prefix, group.suffix).merged(run, number), run))
  }

  /** Written side by side, and then decided one after the other. */
  private def mergedTogether(
      groups: Vector[(DirectoryGroup, Merge)],
      commit: CompactionCommit
  ): Vector[PlannedMerge] = {
    val hadoop = new HadoopSettings(context.hadoopConfiguration)
    val works  = groups.map { case (group, merge) => MergeWork(merge, storage, group.compactor, hadoop) }
    val made   = context.parallelize(works.indices, works.size).map(index => tried(works(index))).collect()
    groups.zip(made).flatMap {
      case ((_, merge), (token, sizeBytes, "")) if commit.replace(merge, Merged(Closed(token), sizeBytes)) =>
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
    new DirectoryFormat(options.format, options.beginning, own, context.hadoopConfiguration)
  }
}

private[stoplog] object DirectoryMerges {

  /** Errors: `STOPLOG_INVALID_OPTIONS`, and those of storages. */
  def apply(session: SparkSession, path: String, options: Map[String, String]): DirectoryMerges =
    session.withActive(new DirectoryMerges(session, DirectoryOptions.parse(path, options)))

  /** To be asked before a batch job overwrites the path. */
  private[stoplog] def overwrite(job: SinkStorage): Overwrite =
    new Overwrite(job.sinkId, job.files, commitOf(storageOf(job.path), RunId.random()))

  private def storageOf(path: String) =
    SinkStorage.plain(path, SinkId, Durability.Disk, SparkHadoop.configuration)

  private def commitOf(storage: SinkStorage, run: RunId) = storage.compaction(run, RealTools.ofThisJvm)

  /** In a task. The token and the size of the part, or what went wrong: one bad file stops no other merge. */
  private def tried(work: MergeWork): (String, Long, String) =
    try {
      val (token, sizeBytes) = work.run()
      (token, sizeBytes, "")
    } catch { case NonFatal(e) => ("", 0L, e.toString) }

  /** The name of the log, which no sink can have. */
  private val SinkId = CompactionCommit.SinkId

  private val Prefix = "part"
  private val AtOnce = 64
}
