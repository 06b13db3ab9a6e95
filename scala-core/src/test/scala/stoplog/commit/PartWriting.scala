// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.{Closed, Open}
import stoplog.rolling.RollReason
import stoplog.storage.{NewPart, PartStore}
import stoplog.writing.{OpenPartWriter, PartFormat, TaskWriter}

/** Parts of a test's own, written and ended with the means of the protocol. */
object PartWriting {

  /** Writes a part that is closed at once, as a merge does. */
  def write[R](part: NewPart, rows: Seq[R], format: PartFormat[R], store: PartStore)(
      midway: => Unit
  ): CompactedPart = {
    val live = OpenPartWriter.begin(part, store.create(part), format, TaskWriter.Times[R](), 0)
    if (rows.nonEmpty) live.begin()
    rows.zipWithIndex.foreach { case (row, index) =>
      live.append(row, 0)
      if (index == 0) midway
    }
    live.complete()
    val pending = live.finish(RollReason.End)
    pending.handle match {
      case closed: Closed => CompactedPart(closed, pending.sizeBytes)
      case other          => throw new IllegalStateException(s"$other is not closed")
    }
  }

  /** Ends an open part as the driver does. */
  def end(part: Open, format: PartFormat[_], store: PartStore): Closed = {
    val live = OpenPartWriter.resume(part, format, TaskWriter.Times[Any]()) { () =>
      store.resume(part.handle, part.validBytes)
    }
    live.complete()
    live.finish(RollReason.End).handle match {
      case closed: Closed => closed
      case other          => throw new IllegalStateException(s"$other is not closed")
    }
  }
}
