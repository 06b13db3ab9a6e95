// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.{PutOutcome, RecordStore}

/** The commit log's records on the simulated disk. */
final class SimRecords(world: World) extends RecordStore {
  import world.disk

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = world.op(s"put record $seq") {
    if (disk.records.contains(seq)) {
      world.note(s"record $seq is taken")
      PutOutcome.Taken
    } else {
      disk.records.update(seq, bytes)
      world.oracle.recorded(disk, bytes)
      PutOutcome.Created
    }
  }

  override def read(seq: Long): Option[Array[Byte]] = world.op(s"read record $seq")(disk.records.get(seq))

  override def list(): Vector[Long] = world.op("list records")(disk.records.keysIterator.toVector)

  override def delete(seq: Long): Unit = {
    world.op(s"delete mark $seq")(disk.marks.remove(seq))
    world.op(s"delete note $seq")(disk.visible.remove(seq))
    world.op(s"delete record $seq")(disk.records.remove(seq))
    ()
  }

  override def markPublished(seq: Long): Unit = world.op(s"mark $seq") {
    disk.marks.add(seq)
    ()
  }

  override def isPublished(seq: Long): Boolean = world.op(s"look for mark $seq")(disk.marks(seq))

  override def noteVisible(seq: Long, paths: Set[String]): Unit = world.op(s"note what is visible of $seq") {
    disk.visible.update(seq, paths)
  }

  override def visible(seq: Long): Set[String] =
    world.op(s"look what was visible of $seq")(disk.visible.getOrElse(seq, Set.empty))

  override def describe(seq: Long): String = s"record $seq"
}
