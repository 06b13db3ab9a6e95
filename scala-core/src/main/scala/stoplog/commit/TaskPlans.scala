// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.IdentityHashMap

import scala.collection.mutable

import stoplog.log.RecordCodec
import stoplog.part.Open

/** A plan as it travels to the tasks: each unpacks what is handed to it, and nothing of what the others get.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, and maybe bytes of each in its
  * handle, those are megabytes that every task would otherwise receive for the few parts it is to go on with. So the parts of
  * a large plan lie apart from the object, and a task asks for its own. [[TaskPlanner]] sends them.
  *
  * @param bases   the parts of each slot, as they were sent
  * @param changes what became of them since; see [[PartChanges]]
  */
private[stoplog] final class TaskPlans private[commit] (
    plan: EpochPlan,
    bases: Map[Int, TaskPlans.Slice],
    changes: Map[Int, TaskPlans.Slice]
) extends Serializable {
  private val bare = plan.copy(handed = Map.empty)

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  /** For a task that begins now, by the clock of its process: its parts are as old by that clock as they were by the
    * driver's when the plan was made. The two clocks are compared nowhere else.
    */
  def forTaskAt(slot: Int, attempt: Attempt, nowMillis: Long): TaskPlan = {
    val plan = forTask(slot, attempt)
    bare.madeAtMillis.fold(plan)(at => plan.copy(handed = plan.handed.map(_.shifted(nowMillis - at))))
  }

  def forTask(slot: Int, attempt: Attempt): TaskPlan = {
    val base   = bases.get(slot).fold(Vector.empty[Open])(at => RecordCodec.decodeOpen(at.bytes))
    val handed = changes.get(slot).fold(base)(at => PartChanges.applied(base, at.bytes))
    bare.forTask(slot, attempt).copy(handed = handed)
  }
}

private[stoplog] object TaskPlans {

  /** With all of it in the one object. */
  def of(plan: EpochPlan): TaskPlans =
    inline(plan, plan.handed.toVector.map { case (slot, parts) => slot -> RecordCodec.encodeOpen(parts) })

  /** The same of what is encoded already, for each slot. */
  private[commit] def inline(plan: EpochPlan, encoded: Vector[(Int, Array[Byte])]): TaskPlans =
    new TaskPlans(plan, slices(encoded, new Inline(_)), changes = Map.empty)

  /** The places of these bytes, which are carried together. */
  private[commit] def slices(
      entries: Vector[(Int, Array[Byte])],
      carry: Array[Byte] => Carried
  ): Map[Int, Slice] = {
    val all    = Array.concat(entries.map(_._2): _*)
    val of     = carry(all)
    val starts = entries.scanLeft(0)(_ + _._2.length)
    entries
      .zip(starts)
      .map { case ((slot, bytes), from) => slot -> new Slice(of, all.length, from, bytes.length) }
      .toMap
  }

  /** Bytes that tasks may ask for, by way of the engine. Serializable. The driver closes it, once, when no epoch needs them any
    * more: a task that asks behind that fails.
    */
  type Carried = (() => Array[Byte]) with AutoCloseable

  /** Some of the bytes that are carried together. */
  private[commit] final class Slice(val of: Carried, val ofBytes: Int, from: Int, val size: Int)
      extends Serializable {
    def bytes: Array[Byte] = of().slice(from, from + size)
  }

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

  /** Empty if these are the same objects: those of parts that no epoch has touched in between are. `None` if so many of
    * them are others.
    */
  def between(base: Vector[Open], now: Vector[Open], tooMany: Long): Option[Array[Byte]] =
    if (base.corresponds(now)(_ eq _)) Some(Array.emptyByteArray)
    else {
      val index  = new IdentityHashMap[Open, Int](base.size * 2)
      val runs   = mutable.ArrayBuffer.empty[Int] // in pairs: an index in the base, or `Others`, and how many
      val others = Vector.newBuilder[Open]
      base.iterator.zipWithIndex.foreach { case (part, at) => index.put(part, at) }
      now.foreach { part =>
        val found  = index.getOrDefault(part, Others)
        val last   = runs.size - 2
        val goesOn = last >= 0 && (if (found == Others) runs(last) == Others
                                   else runs(last) != Others && runs(last) + runs(last + 1) == found)
        if (goesOn) runs(last + 1) += 1 else runs ++= Seq(found, 1)
        if (found == Others) others += part
      }
      val come = others.result()
      Option.when(come.size < tooMany)(encoded(runs, come)) // to encode them costs more than all the rest
    }

  def applied(base: Vector[Open], changes: Array[Byte]): Vector[Open] = {
    val in     = new DataInputStream(new ByteArrayInputStream(changes))
    val runs   = Vector.fill(in.readInt())(in.readInt())
    val others = RecordCodec.decodeOpen(in.readAllBytes()).iterator
    runs
      .grouped(2)
      .flatMap { run =>
        if (run.head == Others) Vector.fill(run.last)(others.next())
        else base.slice(run.head, run.head + run.last)
      }
      .toVector
  }

  private def encoded(runs: Iterable[Int], others: Vector[Open]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    out.writeInt(runs.size)
    runs.foreach(out.writeInt)
    out.write(RecordCodec.encodeOpen(others))
    bytes.toByteArray
  }

  private final val Others = -1
}
