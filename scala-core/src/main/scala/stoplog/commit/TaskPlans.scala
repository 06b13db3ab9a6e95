// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable

import stoplog.log.RecordCodec
import stoplog.part.Open

/** A plan as it travels to the tasks: each unpacks what is handed to it, and nothing of what the others get.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, and maybe bytes of each in its
  * handle, those are megabytes that every task would otherwise receive for the few parts it is to go on with. So the parts of
  * a large plan lie apart from the object, in pieces of which a task asks for its own. [[TaskPlanner]] makes them.
  *
  * @param pieces what [[TaskPlans.Place places]] point into
  */
private[stoplog] final class TaskPlans private[commit] (
    bare: EpochPlan,
    places: Map[Int, TaskPlans.Place],
    pieces: Vector[TaskPlans.Carried]
) extends Serializable {

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    bare.forTask(slot, attempt).copy(handed = places.get(slot).fold(Vector.empty[Open])(handed))

  private def handed(place: TaskPlans.Place): Vector[Open] = {
    val base = RecordCodec.decodeOpen(bytesOf(place.base))
    place.changes.fold(base)(span => PartChanges.applied(base, bytesOf(span)))
  }

  private def bytesOf(span: TaskPlans.Span): Array[Byte] =
    pieces(span.piece)().slice(span.from, span.until)
}

private[stoplog] object TaskPlans {

  /** With all of it in the one object. */
  def of(plan: EpochPlan): TaskPlans = ofEntries(
    plan,
    plan.handed.toVector.map { case (slot, parts) => slot -> RecordCodec.encodeOpen(parts) }
  )

  /** With these bytes of the slots' parts in the one object. */
  private[commit] def ofEntries(plan: EpochPlan, entries: Vector[(Int, Array[Byte])]): TaskPlans = {
    val places = spans(entries).map { case (slot, (from, until)) =>
      slot -> Place(Span(0, from, until), changes = None)
    }
    new TaskPlans(
      plan.copy(handed = Map.empty),
      places.toMap,
      Vector(new Inline(Array.concat(entries.map(_._2): _*)))
    )
  }

  /** Where the bytes of each slot are, if all of them lie one behind the other. */
  private[commit] def spans(entries: Vector[(Int, Array[Byte])]): Vector[(Int, (Int, Int))] = {
    val starts = entries.scanLeft(0)((at, entry) => at + entry._2.length)
    entries.zip(starts).map { case ((slot, bytes), from) => slot -> ((from, from + bytes.length)) }
  }

  /** The place of one slot's parts.
    *
    * @param changes what became of them since the base was sent; see [[PartChanges]]
    */
  private[commit] final case class Place(base: Span, changes: Option[Span])

  /** Bytes in a piece. */
  private[commit] final case class Span(piece: Int, from: Int, until: Int)

  /** Bytes that tasks may ask for, by way of the engine. Serializable; closed on the driver when no epoch needs them any more. */
  type Carried = (() => Array[Byte]) with AutoCloseable

  /** Bytes that go with the object itself. */
  private[commit] final class Inline(bytes: Array[Byte])
      extends (() => Array[Byte])
      with AutoCloseable
      with Serializable {
    override def apply(): Array[Byte] = bytes
    override def close(): Unit        = ()
  }
}

/** The differences of the parts that a task is handed from those that it was handed in an earlier epoch: which of those it
  * gets again, and in between the others, in their order.
  */
private[commit] object PartChanges {

  /** `None` if these are the same objects: those of parts that no epoch has touched in between are. */
  def between(base: Vector[Open], now: Vector[Open]): Option[Array[Byte]] =
    Option.unless(base.corresponds(now)(_ eq _)) {
      val runs   = mutable.ArrayBuffer.empty[Run]
      val others = Vector.newBuilder[Open]
      var at     = 0
      now.foreach { part =>
        val found = search(base, part, at)
        runs.lastOption match {
          case Some(Run(from, count)) if found >= 0 && from >= 0 && from + count == found =>
            runs(runs.size - 1) = Run(from, count + 1)
          case Some(Run(Others, count)) if found < 0 => runs(runs.size - 1) = Run(Others, count + 1)
          case _                                     => runs += Run(if (found < 0) Others else found, 1)
        }
        if (found < 0) others += part else at = found + 1
      }
      encoded(runs, others.result())
    }

  def applied(base: Vector[Open], changes: Array[Byte]): Vector[Open] = {
    val in     = new DataInputStream(new ByteArrayInputStream(changes))
    val runs   = Vector.fill(in.readInt())(Run(in.readInt(), in.readInt()))
    val others = RecordCodec.decodeOpen(in.readAllBytes()).iterator
    runs.flatMap {
      case Run(Others, count) => Vector.fill(count)(others.next())
      case Run(from, count)   => base.slice(from, from + count)
    }
  }

  private def encoded(runs: Iterable[Run], others: Vector[Open]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    out.writeInt(runs.size)
    runs.foreach { run =>
      out.writeInt(run.from)
      out.writeInt(run.count)
    }
    out.write(RecordCodec.encodeOpen(others))
    bytes.toByteArray
  }

  /** So many parts of the base from there on; or of the others, in their order. */
  private final case class Run(from: Int, count: Int)
  private final val Others = -1

  /** The index of this object; negative if it is not close behind `at`. */
  private def search(base: Vector[Open], part: Open, at: Int): Int = {
    val until = base.size.min(at + LookAhead)
    var i     = at
    while (i < until && !(base(i) eq part)) i += 1
    if (i < until) i else Others
  }

  /** The order stays as it is, but for parts that an epoch has touched or ended. A part that is found no longer is sent anew. */
  private final val LookAhead = 64
}
