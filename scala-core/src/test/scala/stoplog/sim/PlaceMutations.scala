// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.{LogFiles, LookBack}
import stoplog.storage.{PartStore, PutOutcome}

/** The rules of one place (I7), each taken out. */
object PlaceMutations {

  /** A driver that has created a record does not look for the records before. */
  object NoPredecessor extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      private var created = Option.empty[Long]

      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        val outcome = super.putIfAbsent(seq, bytes)
        created = if (outcome == PutOutcome.Created) Some(seq) else None
        outcome
      }

      override def list(): Vector[Long] = {
        val known = created.toVector.flatMap { seq =>
          Vector.range(0L.max(seq - world.surroundings.log.records), seq + 1)
        }
        created = None
        (super.list() ++ known).distinct.sorted
      }
    }
  }

  /** A start goes on from whatever records there are. */
  object NoGapCheck extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      private var isCreated = false

      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        isCreated = true
        super.putIfAbsent(seq, bytes)
      }

      override def list(): Vector[Long] = {
        val there = super.list()
        val dense =
          if (isCreated) there else there.headOption.fold(there)(first => (0L until first).toVector ++ there)
        isCreated = false
        dense
      }
    }
  }

  /** Neither does a task look for the record of its plan, nor the driver for the parts. */
  object NobodyLooks extends Mutation {
    override def looks(asItIs: LookBack): LookBack = asItIs match {
      case LookBack.Elsewhere(_) => LookBack.Newest
      case other                 => other
    }

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def refuseLost(tokens: Seq[String]): Unit = ()
    }
  }
}
