// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.JobCommit
import stoplog.log.LogFiles
import stoplog.storage.{FileStore, ReplacedFiles, VisibleFile}

/** Rules of jobs that replace files. */
object JobMutations {

  /** A job that replaces files looks into no log of another batch job. */
  object JobsUnseen extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      override def names(directory: String): Vector[String] =
        super.names(directory).filterNot(_.startsWith(JobCommit.Prefix))
    }
  }

  /** A job that replaces files names all that is under the path. */
  object HiddenFilesListed extends Mutation {
    override def listsHidden: Boolean = true
  }

  /** A batch compaction reads files to their end. */
  object LengthsUnread extends Mutation {
    override def read(file: VisibleFile): Long = file.storedBytes
  }

  /** A file that cannot be hidden stays, and what replaces it is shown. */
  object HidingFails extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def hide(seq: Long, path: String): Unit =
          try super.hide(seq, path)
          catch { case _: stoplog.error.StoplogException => () }
      }
  }

  /** What is hidden for a record that is called off stays hidden. */
  object NothingComesBack extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def restore(seq: Long, path: String): Unit     = ()
        override def restoreLate(seq: Long, path: String): Unit = ()
        override def restoreLate(seq: Long): Unit               = ()
      }
  }
}
