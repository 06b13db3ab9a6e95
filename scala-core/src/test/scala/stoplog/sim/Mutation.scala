// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{BatchDigests, ForeignQuery}
import stoplog.log.{CommitLog, LogFiles, LookBack}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.storage.{FileStore, PartStore, ReplacedFiles, SpoolFiles, VisibleFile}

/** A protocol with one of its rules taken out, by stores that lie to the real code. */
private[stoplog] trait Mutation {
  def records(world: World, real: LogFiles): LogFiles = real

  def parts(world: World, real: PartStore, records: LogFiles): PartStore = real

  def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles = real

  def notes(world: World, real: FileStore): FileStore                               = real
  def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles = real

  /** Whether the store forces a directory to the disk when it should. */
  def isForced(directory: String): Boolean = true

  /** What the driver gets to see of what a task has done. */
  def reported(plan: EpochPlan, result: TaskResult): TaskResult = result

  /** What a tool does that removes orphans.
    *
    * @param planned those that it saw when somebody asked it
    * @param asItIs  what it really does
    */
  def clean(planned: Vector[String], parts: PartStore)(asItIs: => Unit): Unit = asItIs

  /** Whether a job that replaces files lists hidden files, and tables of others, like any file. */
  def listsHidden: Boolean = false

  /** The bytes of a finished file that a batch compaction reads. */
  def read(file: VisibleFile): Long = file.committedBytes

  /** The logs of sinks that a job reads which replaces files. */
  def streams(asItIs: Map[String, CommitLog]): Map[String, CommitLog] = asItIs

  /** What an operator asks for who hands a sink to a query. */
  def handsOver: ForeignQuery = ForeignQuery.Adopt

  /** What the checkpoint says of the batches that the log may hold. */
  def digests(asItIs: BatchDigests): BatchDigests = asItIs

  /** A driver is asked to commit an epoch. */
  def committed(asItIs: => Unit): Unit = asItIs

  /** What a task finds when it looks for the record of its plan. */
  def looks(asItIs: LookBack): LookBack = asItIs

  /** Whether a start says to its driver what it has found in the log. */
  def tellsDriver: Boolean = true

  def afterAbort(plan: EpochPlan, results: Seq[TaskResult], parts: PartStore): Unit = ()
}

object Mutation {

  /** The protocol as it is. */
  object None extends Mutation
}
