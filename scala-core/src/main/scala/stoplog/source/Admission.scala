// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Decides which splits a micro-batch takes. */
private[stoplog] object Admission {

  /** The next splits within the limits; none if there is nothing to read. */
  def take[S <: Split](enumerator: SplitEnumerator[S], limits: ReadLimits): Vector[S] = {
    val batch = new Batch(enumerator, limits)
    var more  = true
    while (more) {
      val discovery = enumerator.discover()
      more = batch.fill() && discovery == Discovery.Partial
    }
    batch.taken
  }

  private final class Batch[S <: Split](enumerator: SplitEnumerator[S], limits: ReadLimits) {
    private val splits = Vector.newBuilder[S]
    private var count  = 0L
    private var room   = Room(limits, 0, 0)

    def taken: Vector[S] = splits.result()

    /** Takes what is there; false when there is room for nothing more, or when nothing came. */
    def fill(): Boolean = {
      val before = count
      while (hasRoom && enumerator.next().exists(takes)) ()
      hasRoom && count > before
    }

    private def hasRoom = !room.isFull && limits.splits.forall(count < _)

    private def takes(split: S): Boolean = enumerator.fit(split, room) match {
      case Fit.All(whole, size)       => add(whole, size)
      case Fit.Part(head, size, rest) =>
        enumerator.takeBack(rest)
        add(head, size)
        end()
      case Fit.Nothing() if count == 0 => add(split, split.size)
      case Fit.Nothing()               =>
        enumerator.takeBack(split)
        end()
    }

    private def add(split: S, size: SplitSize): Boolean = {
      splits += split
      count += 1
      room = room.minus(size)
      true
    }

    private def end(): Boolean = {
      room = room.full
      false
    }
  }
}
