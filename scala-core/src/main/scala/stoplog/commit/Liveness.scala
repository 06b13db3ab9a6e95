// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, RecordKind}
import stoplog.storage.FileInfo

/** Whether a driver is at work on a sink, as far as anybody else can tell.
  *
  * No decision depends on it: the run that claims the log fences every older driver, alive or not. It keeps an
  * operator from stopping a query by mistake.
  */
sealed trait Liveness extends Product with Serializable {

  /** One sentence for people. */
  def describe: String
}

object Liveness {

  /** The last run has ended, or there was none. */
  case object Released extends Liveness {
    override def describe: String = "no driver: the last run has ended in good order"
  }

  /** Its process has ended. */
  final case class Dead(run: String, note: DriverNote) extends Liveness {
    override def describe: String =
      s"the driver of run $run is dead: there is no process ${note.pid} on ${note.host} any more"
  }

  /** Nothing was heard of it for longer than a driver that lives can be silent. */
  final case class Silent(run: String, forMillis: Long) extends Liveness {
    override def describe: String =
      s"the driver of run $run is taken for dead: no sign of it for ${forMillis / 1000} s"
  }

  /** It may be alive. */
  final case class Alive(run: String, forMillis: Long, patienceMillis: Long, where: String) extends Liveness {
    override def describe: String =
      s"the driver of run $run$where gave a sign of life ${forMillis.max(0) / 1000} s ago, and counts as dead " +
        s"only after ${patienceMillis / 1000} s without one"
  }

  /** @param beats     all that are there
    * @param isThere   whether a process is there, where that can be told
    * @param nowMillis by the clock of the storage, which wrote down when the beats were made
    */
  def of(newest: Option[LogRecord], beats: Vector[FileInfo], nowMillis: Long)(
      isThere: DriverNote => Option[Boolean]
  ): Liveness = newest match {
    case None                                              => Released
    case Some(record) if record.kind == RecordKind.Release => Released
    case Some(record)                                      =>
      val note = record.state.settings.get(DriverNote.Key).flatMap(DriverNote.read)
      note.filter(isThere(_).contains(false)) match {
        case Some(dead) => Dead(record.run.value, dead)
        case None       => bySigns(record, note, Heartbeat.of(record.run, beats), nowMillis)
      }
  }

  private def bySigns(
      record: LogRecord,
      note: Option[DriverNote],
      beats: Vector[FileInfo],
      nowMillis: Long
  ): Liveness = {
    val every    = note.fold(UsualMillis)(_.everyMillis.max(ShortestMillis))
    val patience = every * MissedBeats
    val silent   = nowMillis - (record.writtenAtMillis +: beats.flatMap(_.modifiedMillis)).max
    if (silent > patience) Silent(record.run.value, silent)
    else {
      val where = note.fold("")(n => s" (process ${n.pid} on ${n.host})")
      Alive(record.run.value, silent, patience, where)
    }
  }

  /** A beat may be late, and one may be lost to a storage that does not answer. */
  private[stoplog] val MissedBeats = 3

  /** The default of `bucketCheckInterval`. */
  private[stoplog] val UsualMillis = 60 * 1000L

  /** Writing a beat takes a while. */
  private[stoplog] val ShortestMillis = 1000L
}
