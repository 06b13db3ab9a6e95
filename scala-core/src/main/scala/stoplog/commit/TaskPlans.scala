// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.RecordCodec
import stoplog.part.Open

/** A plan as it travels to the tasks: each unpacks what is handed to it, and nothing of what the others get.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, and maybe bytes of each in its
  * handle, those are megabytes that every task would otherwise receive for the few parts it is to go on with. So a large
  * plan goes in pieces, of which a task asks for its own.
  */
private[stoplog] final class TaskPlans private (
    bare: EpochPlan,
    places: Map[Int, TaskPlans.Place],
    pieces: Vector[() => Array[Byte]]
) extends Serializable {

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    bare.forTask(slot, attempt).copy(handed = places.get(slot).fold(Vector.empty[Open])(handed))

  private def handed(place: TaskPlans.Place): Vector[Open] =
    RecordCodec.decodeOpen(pieces(place.piece)().slice(place.from, place.until))
}

private[stoplog] object TaskPlans {

  /** With all of it in the one object. */
  def of(plan: EpochPlan): TaskPlans = of(plan, inline)

  /** @param carry brings the bytes of a piece to the tasks that ask for them; what it answers goes with the object, and has to be
    *              serializable. Not called for a plan that is small
    */
  def of(plan: EpochPlan, carry: Array[Byte] => (() => Array[Byte])): TaskPlans = {
    val encoded = plan.handed.toVector.sortBy(_._1).map { case (slot, parts) =>
      slot -> RecordCodec.encodeOpen(parts)
    }
    val isSmall = encoded.iterator.map(_._2.length.toLong).sum <= SmallBytes
    val pieces  = if (isSmall) Vector(encoded) else grouped(encoded)
    val places  = for {
      (piece, number) <- pieces.zipWithIndex
      starts = piece.scanLeft(0)((at, entry) => at + entry._2.length)
      ((slot, bytes), from) <- piece.zip(starts)
    } yield slot -> Place(number, from, from + bytes.length)
    val brought = if (isSmall) inline else carry
    new TaskPlans(
      plan.copy(handed = Map.empty),
      places.toMap,
      pieces.map(piece => brought(Array.concat(piece.map(_._2): _*)))
    )
  }

  private type Entries = Vector[(Int, Array[Byte])]

  /** Neighbours together, as each piece costs the engine a message or two, up to so many bytes. */
  private def grouped(entries: Entries): Vector[Entries] = Vector.unfold(entries) { left =>
    Option.when(left.nonEmpty) {
      val sizes = left.iterator.map(_._2.length.toLong).scanLeft(0L)(_ + _).drop(1)
      left.splitAt(sizes.takeWhile(_ <= PieceBytes).size.max(1))
    }
  }

  /** The bytes of one slot in a piece. */
  private final case class Place(piece: Int, from: Int, until: Int)

  private val inline = (bytes: Array[Byte]) => new Inline(bytes): () => Array[Byte]

  private final class Inline(bytes: Array[Byte]) extends (() => Array[Byte]) with Serializable {
    override def apply(): Array[Byte] = bytes
  }

  /** What an engine sends with a task without a second thought: Spark warns of 1,000 KiB. */
  private final val SmallBytes = 768L << 10

  private final val PieceBytes = 256 << 10
}
