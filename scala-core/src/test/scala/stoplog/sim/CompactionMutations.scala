// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.{PutOutcome, RecordCodec, LogFiles}
import stoplog.storage.ReplacedFiles

/** The mutations around what takes the place of finished parts. */
object CompactionMutations {

  /** The merged part becomes visible while those are that it replaces. */
  object PublishBeforeSetAside extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        private var waiting = Vector.empty[(Long, String)]

        override def setAside(seq: Long, path: String): Unit = waiting :+= (seq -> path)

        override def forget(seq: Long): Unit = {
          waiting.filter(_._1 == seq).foreach { case (of, path) => super.hide(of, path) }
          super.forget(seq)
        }
      }
  }

  /** Whoever wants to write the record sets aside already what it would replace, fenced or not. */
  object SetAsideBeforeRecord extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new EagerRecords(real)

    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles = {
      records match {
        case eager: EagerRecords => eager.finished = Some(real)
        case _                   => ()
      }
      real
    }
  }

  /** What was set aside is deleted before its rows are visible elsewhere. */
  object DeletedAtOnce extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def setAside(seq: Long, path: String): Unit = {
          super.hide(seq, path)
          super.forget(seq)
        }
      }
  }

  /** What was set aside is never deleted. */
  object NeverDeleted extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def forget(seq: Long): Unit     = ()
        override def setAsideFor(): Vector[Long] = Vector.empty
      }
  }

  private final class EagerRecords(real: LogFiles) extends RecordsOver(real) {
    var finished: Option[ReplacedFiles] = None

    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      RecordCodec.decode(bytes).foreach { record =>
        record.replace.foreach(part => finished.foreach(_.hide(seq, part.path)))
      }
      super.putIfAbsent(seq, bytes)
    }
  }
}

/** A store of finished parts that passes everything on. */
class FinishedOver(real: ReplacedFiles) extends ReplacedFiles {
  override def sizeBytes(path: String): Option[Long]      = real.sizeBytes(path)
  override def setAside(seq: Long, path: String): Unit    = real.hide(seq, path)
  override def putBack(seq: Long, path: String): Unit     = real.restore(seq, path)
  override def putBackLate(seq: Long, path: String): Unit = real.restoreLate(seq, path)
  override def keep(path: String, as: String): Unit       = real.keep(path, as)
  override def forget(seq: Long): Unit                    = real.forget(seq)
  override def setAsideFor(): Vector[Long]                = real.hiddenFor()
}
