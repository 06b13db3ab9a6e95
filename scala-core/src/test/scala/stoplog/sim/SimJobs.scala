// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{JobCommit, Overwrite}
import stoplog.fault.{Faults, Step}
import stoplog.log.CommitLog
import stoplog.storage.{FileStore, JobDirectory, NoFiles, ReplacedFiles, SinkDirectory, VisibleFile}

/** A batch job's own directory. */
final class SimJobs(world: World, job: String) extends JobDirectory(NoFiles, "main") {
  import world.{disk, op}

  override val replaced: ReplacedFiles = SimFinished.of(world, job)

  override def visible(): Vector[VisibleFile] = op("list what is visible") {
    disk.finished.iterator.map { case (path, inode) =>
      VisibleFile(path, inode.length.toLong, inode.modifiedAtMillis)
    }.toVector
  }

  /** Directories come and go with the names in them. */
  override def deleteEmptied(directories: Seq[String]): Unit = ()

  /** As the real one: records by name, in whatever order the directory tells them, and marks behind all of them. */
  override def delete(faults: Faults): Unit = {
    def deleted(what: String)(effect: => Unit): Unit = {
      op(s"delete $what of $job")(effect)
      faults.at(Step.MidRemove)
    }
    val note = SinkDirectory(job).overwrites
    val log  = disk.log(job)
    replaced.hiddenFor().foreach(replaced.purge)
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

  /** Whether no batch job that overwrites is under way. Where there is none at all, nothing is asked. */
  def noneOverwrites(world: World, notes: FileStore): Boolean =
    listed(world).isEmpty ||
      Overwrite
        .underWay(names(world).map(job => job -> new CommitLog(new SimRecords(world, job))).toMap, notes)
        .isEmpty

  /** Whether this is the announcement of a batch job that overwrites. */
  def isNote(path: String): Boolean = path == SinkDirectory(path.split('/').lift(1).getOrElse("")).overwrites
}
