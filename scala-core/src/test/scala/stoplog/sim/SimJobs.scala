// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.fault.{Faults, Step}
import stoplog.storage.{JobDirectory, NoFiles, ReplacedFiles, VisibleFile}

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

  /** By name, as the stores do it, in whatever order the directory tells them: the newest record last. */
  override def delete(faults: Faults): Unit = {
    replaced.hiddenFor().foreach(replaced.purge)
    val log = disk.log(job)
    op(s"list the records of $job")(world.listed(log.records.keysIterator).toVector).sorted.foreach { seq =>
      op(s"delete record $seq of $job")(log.records.remove(seq))
      faults.at(Step.MidRemove)
      op(s"delete mark $seq of $job")(log.marks.remove(seq))
      faults.at(Step.MidRemove)
      op(s"delete notes $seq of $job")(
        log.notes.keys.filter(_._1 == seq).toVector.foreach(log.notes.remove(_))
      )
      faults.at(Step.MidRemove)
    }
    op(s"remove $job")(disk.logs.remove(job))
    ()
  }

  override def untouchedSince(millis: Long): Boolean = false
}
