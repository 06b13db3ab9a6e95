// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream

import stoplog.commit.ForeignQuery
import stoplog.log.{CommitLog, LogFiles}
import stoplog.part.{Closed, Resume}
import stoplog.sink.Staged
import stoplog.storage.PutOutcome
import stoplog.storage._

/** Tools with one of their rules taken out. */
object OperatorMutations {

  /** Whoever hands a sink to a query takes no notice of the rows that it writes again. */
  object AdoptsAnything extends Mutation {
    override def handsOver: ForeignQuery = ForeignQuery.AdoptAndRepeat
  }

  /** What was an orphan when the plan was made is removed, whatever has been decided since. */
  object CleanAsPlanned extends Mutation {
    override def clean(planned: Vector[String], parts: PartStore)(asItIs: => Unit): Unit =
      planned.foreach(parts.discard)
  }

  /** Of tools alone: parts are closed where they stand, whoever may still write them. */
  object FinishInPlace extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
        if (world.scheduler.current.name.startsWith("tool")) Closed(open.token)
        else real.isolate(open, validBytes, part)
    }
  }

  /** Whoever goes back to an older epoch keeps no copies of what goes. */
  object RewindWithoutCopies extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def keep(path: String, as: String): Unit = ()
      }
  }

  /** Files with later rows stay where they are when somebody goes back. */
  object RewindLeavesFiles extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def hide(seq: Long, path: String): Unit = ()
      }
  }

  /** Whoever begins a log anew keeps no copies of its records. */
  object ResetWithoutCopies extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
        if (path.contains("/aside/")) PutOutcome.Created else super.createIfAbsent(path)(content)
    }
  }

  /** A start does not tell its driver what it has found in the log. */
  object StartedUnseen extends Mutation {
    override def tellsDriver: Boolean = false
  }

  /** A batch compaction looks at no sink of a stream. */
  object CompactsAnything extends Mutation {
    override def streams(asItIs: Map[String, CommitLog]): Map[String, CommitLog] = Map.empty
  }

  /** Who sweeps removes what is unfinished in the whole directory, of whatever sink. */
  object SweepsOthers extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def staged(): Vector[Staged] = super.staged() ++ world.op("list what others have unfinished") {
        world.disk.staged.valuesIterator.map(inode => Staged(inode.token, inode.modifiedAtMillis)).toVector
      }
    }
  }
}
