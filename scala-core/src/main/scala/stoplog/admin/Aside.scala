// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneOffset}

import stoplog.fault.Step
import stoplog.part.FinishedPart
import stoplog.log.RecordNames
import stoplog.storage.{ReplacedFiles, SinkDirectory}

/** A place of one run of a tool for what is to go out of sight and is not to be lost.
  *
  * @param root its directory, below the sink's path
  */
private[admin] final case class Aside(root: String) {

  /** The place of the kept file of this path, under a name that no pattern for data files finds. */
  def place(path: String): String = s"$root/$path${ReplacedFiles.Unseen}"

  def placeOfRecord(seq: Long): String = s"$root/log/${RecordNames.name(seq)}"

  /** Copies of finished parts, all durable when this returns. */
  def keep(parts: Vector[FinishedPart], change: Change): Unit = {
    import change.tools.{faults, parallel, retry}
    parallel.map(parts.filter(_.sizeBytes > 0)) { part =>
      retry(() => change.stores.finished.keep(part.path, place(part.path)))
      faults.at(Step.PartKept)
    }
    ()
  }
}

private[admin] object Aside {

  /** New with each plan. */
  def of(sinkId: String, nowMillis: Long): Aside =
    Aside(SinkDirectory(sinkId).aside(Stamp.format(Instant.ofEpochMilli(nowMillis))))

  private val Stamp = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'").withZone(ZoneOffset.UTC)
}
