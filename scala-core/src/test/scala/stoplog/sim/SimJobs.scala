// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{JobCommit, ReplacingJobs}
import stoplog.fault.{Faults, Step}
import stoplog.storage._

/** A batch job's own directory. */
final class SimJobs(world: World, job: String, notes: FileStore, mutation: Mutation)
    extends JobDirectory(new SimTree(world, notes), job) {
  import world.{disk, op}

  override def listed(path: String, scope: VisibleFiles.Scope): VisibleListing =
    if (mutation.listsHidden) VisibleListing.of(new SimTree(world, notes).all)
    else super.listed(path, scope)

  /** As the real one: records by name, in whatever order the directory tells them, and marks behind all of them. */
  override def delete(faults: Faults): Unit = {
    def deleted(what: String)(effect: => Unit): Unit = {
      op(s"delete $what of $job")(effect)
      faults.at(Step.MidRemove)
    }
    val note = SinkDirectory(job).replaces
    val log  = disk.log(job)
    if (world.saw(disk.notes.contains(note))) deleted("what it says to others")(disk.notes.remove(note): Unit)
    val seqs = op(s"list the records of $job")(world.listed(log.records.keysIterator).toVector).sorted
    seqs.foreach { seq =>
      deleted(s"record $seq")(log.records.remove(seq): Unit)
      deleted(s"notes $seq")(log.notes.keys.filter(_._1 == seq).toVector.foreach(log.notes.remove))
    }
    seqs.foreach(seq => deleted(s"mark $seq")(log.marks.remove(seq): Unit))
    op(s"remove $job")(disk.logs.remove(job))
    ()
  }

  override def untouchedSince(millis: Long): Boolean = false
}

private[sim] object SimJobs {

  /** The batch jobs that have a directory. */
  def names(world: World): Vector[String] = world.op("list the batch jobs")(listed(world))

  private def listed(world: World): Vector[String] = {
    val noted = world.disk.notes.keysIterator.filter(isNote).map(_.split('/')(1))
    (world.disk.logs.keysIterator.filter(_.startsWith(JobCommit.Prefix)) ++ noted).toVector.distinct
  }

  /** Whether no batch job that replaces files is under way. Where there is no job at all, no step is taken. */
  def noneReplaces(world: World, mutation: Mutation): Boolean =
    listed(world).isEmpty ||
      ReplacingJobs.of(new SimLogs(world, mutation), SimDriver.tools(world)).underWay.isEmpty

  /** Whether this is the announcement of a batch job that replaces files. */
  def isNote(path: String): Boolean = path == SinkDirectory(path.split('/').lift(1).getOrElse("")).replaces
}
