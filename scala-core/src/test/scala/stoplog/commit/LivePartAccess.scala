package stoplog.commit

import stoplog.part.{Closed, Open}
import stoplog.store.PartStore

/** Ends an open part as the driver does. */
object LivePartAccess {
  def end(part: Open, format: PartFormat[_], store: PartStore): Closed = {
    val live =
      LivePart.resume(part, format, RowTimes.Unasked)(() => store.resume(part.handle, part.validBytes))
    live.complete()
    live.finish(stoplog.rolling.RollReason.End).handle match {
      case closed: Closed => closed
      case other          => throw new IllegalStateException(s"$other is not closed")
    }
  }
}
