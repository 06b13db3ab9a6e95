// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream

import stoplog.error.StoplogException
import stoplog.storage.PutOutcome
import stoplog.log.LogFiles
import stoplog.part.{Closed, Publish, Resume}
import stoplog.sink.CommitOutcome
import stoplog.storage._

/** Mutations of what is forced to the disk, and of what is marked, looked at and deleted, and when. */
object DurabilityMutations {

  /** The bytes of parts are not forced before a record names them. */
  object PartsNotForced extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def create(part: NewPart): PartOutput = new Lazy(super.create(part))

      override def resume(open: Resume, validBytes: Long): PartOutput = new Lazy(
        super.resume(open, validBytes)
      )

      private final class Lazy(output: PartOutput) extends PartOutput {
        override def position: Long = output.position

        override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
          output.write(bytes, offset, length)

        override def persist(inRecordBytes: Int): Resume = {
          val handle = output.persist(inRecordBytes)
          world.disk.part(handle.token).foreach(_.durable = 0)
          handle
        }

        override def finish(): Closed = {
          val handle = output.finish()
          world.disk.part(handle.token).foreach(_.durable = 0)
          handle
        }

        override def close(): Unit = output.close()
      }
    }
  }

  /** The directory is not forced in which a part has got its final name. */
  object FinishedNamesNotForced extends Mutation {
    override def isForced(directory: String): Boolean = directory == Names.Open || directory == Names.Log
  }

  /** The directory is not forced in which a part was begun. */
  object OpenNamesNotForced extends Mutation {
    override def isForced(directory: String): Boolean = directory != Names.Open
  }

  /** The log's directory is not forced. */
  object LogNotForced extends Mutation {
    override def isForced(directory: String): Boolean = directory != Names.Log
  }

  /** A record is marked as soon as the first of its parts is visible. */
  object MarkedWithFirstPart extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
        val outcome = super.publish(part, sizeBytes, finishedPath)
        world.oracle.newest
          .filter(_.publish.exists(_.finishedPath == finishedPath))
          .foreach(record => records.markPublished(record.seq))
        outcome
      }
    }
  }

  /** A record is marked before what follows its parts. */
  object MarkedBeforeFollowUps extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
        world.oracle.newest.foreach(record => new SimRecords(world).markPublished(record.seq))
        super.createIfAbsent(path)(content)
      }
    }
  }

  /** A part that a storage fails to publish is taken for lost. */
  object FailedIsLost extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
        try super.publish(part, sizeBytes, finishedPath)
        catch { case e: StoplogException if e.getCondition == "STOPLOG_STORE_WRITE" => CommitOutcome.Lost }
    }
  }

  /** Nobody looks at the inputs of a merge when it is decided. */
  object CompactedWithoutCheck extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def sizeBytes(path: String): Option[Long] = world.oracle.sizeBytes(path)
      }
  }

  /** What was replaced is not deleted before the mark, but when somebody sweeps. */
  object DeletedBySweep extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        private var swept = Set.empty[Long]

        override def hiddenFor(): Vector[Long] = {
          val all = super.hiddenFor()
          swept = all.toSet
          all
        }

        override def purge(seq: Long): Unit = if (swept(seq)) super.purge(seq)
      }
  }
}
