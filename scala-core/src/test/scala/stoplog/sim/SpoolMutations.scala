// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.{ByteArrayInputStream, InputStream, OutputStream}

import stoplog.format.bulk.LineBlocks
import stoplog.log.{LogFiles, RecordCodec}
import stoplog.part.{RecordBytes, RunId, SpoolFile, Spooled}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.sink.Staged
import stoplog.storage.PutOutcome
import stoplog.storage._

/** The mutations around what is kept beside a part. */
object SpoolMutations {

  /** What the next record will not name is deleted, and then that record is written. */
  object DropBeforeRecord extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new DroppingRecords(world, real)

    override def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles = {
      records match {
        case early: DroppingRecords => early.spoolFiles = Some(real)
        case _                      => ()
      }
      real
    }
  }

  /** The drop after a record takes what that record still names. */
  object DropNamed extends Mutation {
    override def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles =
      new SpoolFilesOver(real) {
        override def discard(tokens: Seq[String]): Unit =
          super.discard(tokens ++ world.oracle.newest.toVector.flatMap(_.state.spoolFiles))
      }
  }

  /** A record is written before what it names is forced to the disk. */
  object NotForced extends Mutation {
    override def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles =
      new SpoolFilesOver(real) {
        override def write(part: NewPart)(content: OutputStream => Unit): String = {
          val token = super.write(part)(content)
          world.disk.beside(token).durable = 0
          token
        }
      }
  }

  /** An attempt takes the file for its own that another attempt has left. */
  object ReusedName extends Mutation {
    override def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles =
      new SpoolFilesOver(real) {
        override def write(part: NewPart)(content: OutputStream => Unit): String = {
          val bytes = new java.io.ByteArrayOutputStream()
          content(bytes)
          val token = s"beside/${part.name}-${world.oracle.newest.fold(0L)(_.seq)}"
          if (!world.op(s"look for $token")(world.disk.beside.contains(token))) {
            val inode =
              world.op(s"create $token")(world.disk.createBeside(token, world.scheduler.current.process))
            world.op(s"write $token")(world.disk.write(inode, 0, bytes.toByteArray, 0, bytes.size))
            world.op(s"force $token") {
              inode.durable = inode.length
            }
          }
          token
        }
      }
  }

  /** Whoever goes on with a part knows its blocks, and not the rows beside it. */
  object RowsForgotten extends Mutation {
    override def spoolFiles(world: World, real: SpoolFiles, records: LogFiles): SpoolFiles =
      new SpoolFilesOver(real) {
        override def read(file: SpoolFile): InputStream =
          new ByteArrayInputStream(LineBlocks.withoutRows(super.read(file)))
      }
  }

  /** A record leaves out the rows that it is to hold behind those of files. */
  object RecordRowsForgotten extends Mutation {
    override def reported(plan: EpochPlan, result: TaskResult): TaskResult =
      result.copy(open = result.open.map(part => part.copy(spooled = forgetting(part.spooled))))

    private def forgetting(beside: Spooled): Spooled =
      if (beside.inRecord == RecordBytes.empty || beside.files.isEmpty) beside
      else beside.copy(inRecord = RecordBytes.empty)
  }

  /** A driver ends parts without announcing that it writes. */
  object NoLeaseOfDriver extends Mutation {
    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def enter(run: RunId): AutoCloseable = if (isDriver(world)) () => () else super.enter(run)
    }
  }

  /** A driver ends parts without a look whether there is a newer one. */
  object NoLookOfDriver extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new BlindRecords(real)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def enter(run: RunId): AutoCloseable = {
        val lease = super.enter(run)
        records match {
          case blind: BlindRecords if isDriver(world) => blind.closeEyes()
          case _                                      => ()
        }
        lease
      }
    }
  }

  /** A part to which an attempt has written nothing but spool files counts as its run's own, although others may still write to
    * it.
    */
  object OwnedUnwritten extends Mutation {
    override def reported(plan: EpochPlan, result: TaskResult): TaskResult =
      result.copy(open = result.open.map(part => part.ownedBy(part.owner.orElse(Some(plan.run)))))
  }

  private def isDriver(world: World): Boolean = !world.scheduler.current.name.startsWith("task")

  private final class DroppingRecords(world: World, real: LogFiles) extends RecordsOver(real) {
    var spoolFiles: Option[SpoolFiles] = None

    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      RecordCodec.decode(bytes).foreach { record =>
        val before = world.oracle.newest.fold(Set.empty[String])(_.state.spoolFiles)
        spoolFiles.foreach(_.discard((before -- record.state.spoolFiles).toVector))
      }
      super.putIfAbsent(seq, bytes)
    }
  }

  private final class BlindRecords(real: LogFiles) extends RecordsOver(real) {
    private var blind = false

    def closeEyes(): Unit = blind = true

    override def list(): Vector[Long] =
      if (blind) {
        blind = false
        Vector.empty
      } else super.list()
  }
}

/** A store of spool files that passes everything on. */
private[stoplog] class SpoolFilesOver(real: SpoolFiles) extends SpoolFiles(NoFiles, "main") {
  override def write(part: NewPart)(content: OutputStream => Unit): String = real.write(part)(content)
  override def read(file: SpoolFile): InputStream                          = real.read(file)
  override def staged(): Vector[Staged]                                    = real.staged()
  override def discard(tokens: Seq[String]): Unit                          = real.discard(tokens)
}
