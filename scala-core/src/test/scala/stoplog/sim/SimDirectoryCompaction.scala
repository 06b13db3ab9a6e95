// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit._
import stoplog.part.{FinishedPart, RunId}
import stoplog.storage.NewPart

/** One run of the batch compaction, in the steps of the command: what an earlier run has decided is carried out, then the
  * files are listed, and those merged that no sink may touch.
  */
final class SimDirectoryCompaction(world: World, run: RunId, mutation: Mutation) {
  private val stores = new SimStores(world, mutation, s"${JobCommit.Prefix}compaction-${run.value}")
  private val commit = SimDriver.compaction(world, run, mutation)

  def run(): Unit = {
    commit.recover()
    val compactions = due()
    if (compactions.nonEmpty) {
      commit.begin()
      compactions.foreach { merge =>
        val rows = merge.inputs.flatMap(read)
        val made =
          PartWriting.write(merge.part, rows, world.traits.format.open(stores.spoolFiles), stores.parts)(
            ()
          )
        if (commit.replace(merge, made)) world.note(s"a compaction has merged ${merge.inputs.map(_.path)}")
      }
      commit.end()
    }
  }

  private def due(): Vector[CompactionTask] =
    listed()
      .groupBy(_.bucket)
      .toVector
      .sortBy(_._1)
      .collect {
        case (bucket, inputs) if inputs.size > 1 => bucket -> inputs.take(SimDirectoryCompaction.AtMost)
      }
      .zipWithIndex
      .map { case ((bucket, inputs), n) =>
        CompactionTask(inputs, NewPart(bucket, s"part-${run.uid}-m$n", run))
      }

  private def listed(): Vector[FinishedPart] = world.op("list the directory") {
    world.disk.finished.toVector.map { case (path, inode) =>
      FinishedPart(
        path.takeWhile(_ != '/'),
        path.dropWhile(_ != '/').drop(1),
        inode.length.toLong,
        inode.rows(inode.length).size.toLong,
        epoch = -1
      )
    }
  }

  private def read(part: FinishedPart): Vector[String] = world.op(s"read ${part.path}") {
    val inode = world.disk.finished.getOrElse(part.path, throw new RuntimeException(s"no ${part.path}"))
    inode.rows(inode.length)
  }
}

private object SimDirectoryCompaction {
  val AtMost = 3
}
