// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.log.{LogFiles, RecordCodec}
import stoplog.storage.ReplacedFiles

/** The mutations around what takes the place of finished parts. */
object CompactionMutations {

  /** The merged part becomes visible while those are that it replaces. */
  object PublishBeforeSetAside extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        private var waiting = Vector.empty[(Long, String)]

        override def hide(seq: Long, path: String): Unit = waiting :+= (seq -> path)

        override def taken(seq: Long, paths: Seq[String]): Set[String] = Set.empty

        override def purge(seq: Long): Unit = {
          waiting.filter(_._1 == seq).foreach { case (of, path) => super.hide(of, path) }
          super.purge(seq)
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
        override def hide(seq: Long, path: String): Unit = {
          super.hide(seq, path)
          super.purge(seq)
        }
      }
  }

  /** What was set aside is never deleted. */
  object NeverDeleted extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def purge(seq: Long): Unit    = ()
        override def hiddenFor(): Vector[Long] = Vector.empty
      }
  }

  private final class EagerRecords(real: LogFiles) extends RecordsOver(real) {
    var finished: Option[ReplacedFiles] = None

    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
      RecordCodec.read(bytes).map(_.decision).foreach { record =>
        record.replace.foreach(part => finished.foreach(_.hide(seq, part.path)))
      }
      super.putIfAbsent(seq, bytes)
    }
  }
}

/** A store of finished parts that passes everything on. */
class FinishedOver(real: ReplacedFiles) extends ReplacedFiles(NoFiles, "main") {
  override def sizeBytes(path: String): Option[Long] = real.sizeBytes(path)
  override def hide(seq: Long, path: String): Unit   = real.hide(seq, path)

  override def taken(seq: Long, paths: Seq[String]): Set[String] = real.taken(seq, paths)

  override def restore(seq: Long, path: String): Unit     = real.restore(seq, path)
  override def hidesAtOnce: Boolean                       = real.hidesAtOnce
  override def restoreLate(seq: Long, path: String): Unit = real.restoreLate(seq, path)
  override def restoreLate(seq: Long): Unit               = real.restoreLate(seq)
  override def keep(path: String, as: String): Unit       = real.keep(path, as)
  override def purge(seq: Long): Unit                     = real.purge(seq)
  override def hiddenFor(): Vector[Long]                  = real.hiddenFor()
}
