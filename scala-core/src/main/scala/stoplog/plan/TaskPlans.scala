// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.IdentityHashMap

import scala.collection.mutable

import stoplog.log.RecordCodec
import stoplog.part.Open

/** A plan in the form sent to tasks: each task decodes only its parts.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, possibly with bytes in
  * their handles, every task would receive megabytes for a few parts. So the parts of a large plan are
  * separate from the object, and a task requests its parts. [[TaskPlanner]] sends the parts.
  *
  * @param bases   the parts of each slot, as last sent in full
  * @param changes the changes since; see [[PartChanges]]
  */
private[stoplog] final class TaskPlans private[stoplog] (
    plan: EpochPlan,
    bases: Map[Int, TaskPlans.Slice],
    changes: Map[Int, TaskPlans.Slice]
) extends Serializable {
  private val bare = plan.copy(handed = Map.empty)

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  /** Returns the plan for a task that starts now, by the clock of its process. By this clock, its parts have
    * the same age as by the driver's clock when the plan was made. The two clocks are compared nowhere else.
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

  /** Creates a plan with all parts in one object. */
  def of(plan: EpochPlan): TaskPlans =
    inline(plan, plan.handed.toVector.map { case (slot, parts) => slot -> RecordCodec.encodeOpen(parts) })

  /** Creates a plan from encoded parts of each slot. */
  private[stoplog] def inline(plan: EpochPlan, encoded: Vector[(Int, Array[Byte])]): TaskPlans =
    new TaskPlans(plan, slices(encoded, new Inline(_)), changes = Map.empty)

  /** Returns the locations of these bytes, which are sent as one piece. */
  private[stoplog] def slices(
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

  /** Bytes that tasks may request through the engine. Serializable. The driver closes the bytes once, when no
    * epoch needs the bytes any more: a later request fails.
    */
  type Carried = (() => Array[Byte]) with AutoCloseable

  /** A section of one piece. */
  private[stoplog] final class Slice(val of: Carried, val ofBytes: Int, from: Int, val size: Int)
      extends Serializable {
    def bytes: Array[Byte] = of().slice(from, from + size)
  }

  /** Bytes in the object itself. */
  private[stoplog] final class Inline(bytes: Array[Byte])
      extends (() => Array[Byte])
      with AutoCloseable
      with Serializable {
    override def apply(): Array[Byte] = bytes
    override def close(): Unit        = ()
  }
}

/** The differences between a task's parts now and in an earlier epoch. Lists the parts that the task gets
  * again, and the others in between, in order.
  */
private[stoplog] object PartChanges {

  /** Returns the changes; empty if all parts are the same objects, as for parts that no epoch has touched in
    * between. `None` if at least `tooMany` parts differ.
    */
  def between(base: Vector[Open], now: Vector[Open], tooMany: Long): Option[Array[Byte]] =
    if (base.corresponds(now)(_ eq _)) Some(Array.emptyByteArray)
    else {
      val index  = new IdentityHashMap[Open, Int](base.size * 2)
      val runs   = mutable.ArrayBuffer.empty[Int] // pairs: an index in the base or `Others`, and a count
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
      Option.when(come.size < tooMany)(encoded(runs, come)) // encoding costs more than all other steps
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
