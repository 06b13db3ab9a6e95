// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.log.LogFiles

/** The records of one log on the simulated disk. */
final class SimRecords(world: World, name: String = DiskLog.Main, isForced: String => Boolean = _ => true)
    extends LogFiles(NoFiles, "main") {
  private def disk  = world.place.disk
  private def there = disk.log(name)

  override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
    val isMade = world.once(s"put record $seq")(!there.records.contains(seq)) {
      there.records.update(seq, bytes)
      disk.names.changed(Names.Log) {
        there.records.remove(seq)
        world.place.oracle.unrecorded(seq)
      }
      if (world.place.isTheDisk) {
        if (name == world.sinkId) world.place.oracle.recorded(disk, bytes)
        else world.place.oracle.recordedBeside(name, disk, bytes)
      }
    }
    if (isMade) {
      forced()
      PutOutcome.Created
    } else {
      world.note(s"record $seq is taken")
      PutOutcome.Taken
    }
  }

  /** A step of its own only where it makes a difference. */
  private def forced(): Unit = world.surroundings.power match {
    case PowerTakes.Names =>
      if (isForced(Names.Log)) world.op("force the names in the log")(disk.names.force(Names.Log))
    case PowerTakes.Bytes => ()
  }

  override def read(seq: Long): Option[Array[Byte]] = world.op(s"read record $seq")(there.records.get(seq))

  override def list(): Vector[Long] = world.op("list records")(there.records.keysIterator.toVector)

  override def delete(seqs: Seq[Long]): Unit = {
    seqs.foreach(delete)
    if (seqs.nonEmpty && name == world.sinkId) world.place.oracle.trimmed(disk)
  }

  private def delete(seq: Long): Unit = {
    world.op(s"delete mark $seq")(there.marks.remove(seq))
    world.op(s"delete notes $seq")(
      there.notes.keys.filter(_._1 == seq).toVector.foreach(there.notes.remove(_))
    )
    world.op(s"delete record $seq") {
      there.records
        .remove(seq)
        .foreach(bytes => disk.names.changed(Names.Log)(there.records.update(seq, bytes)))
    }
    ()
  }

  override def unmark(seqs: Seq[Long]): Unit =
    seqs.foreach(seq => world.op(s"delete old mark $seq")(there.marks.remove(seq)))

  override def markPublished(seq: Long): PutOutcome = world.op(s"mark $seq") {
    if (there.marks.add(seq)) {
      disk.names.changed(Names.Log) { there.marks.remove(seq); () }
      PutOutcome.Created
    } else PutOutcome.Taken
  }

  override def isPublished(seq: Long): Boolean = world.op(s"look for mark $seq")(there.marks(seq))

  override def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
    world.op(s"put note $number of $seq") {
      if (there.notes.contains(seq -> number)) PutOutcome.Taken
      else {
        there.notes.update(seq -> number, new String(bytes, UTF_8))
        if (name == world.sinkId && number == 0 && new String(bytes, UTF_8).startsWith("{\"why\""))
          world.oracle.calledOff(seq)
        if (name == world.sinkId)
          world.oracle.announced.skipped(seq, SimRecords.skippedIn(bytes))
        disk.names.changed(Names.Log) { there.notes.remove(seq -> number); () }
        PutOutcome.Created
      }
    }

  override def note(seq: Long, number: Int): Option[Array[Byte]] =
    world.op(s"look for note $number of $seq")(there.notes.get(seq -> number)).map(_.getBytes(UTF_8))

  override def makeDurable(seq: Long): Unit = forced()

  override def describe(seq: Long): String = s"record $seq"
}

private object SimRecords {
  private val mapper = new ObjectMapper()

  /** The parts without which the query continues, by a note. */
  def skippedIn(note: Array[Byte]): Set[String] =
    mapper.readTree(note).path("skipped").elements.asScala.map(_.asText).toSet
}
