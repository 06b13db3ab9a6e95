// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.error.Errors
import stoplog.options.SparkHadoop
import stoplog.place.SinkStorage

import stoplog.options.LogOptions
import stoplog.storage.Durability

/** The log settings of a sink that commits in two phases.
  *
  * @param location  the directory that holds the log, as `<location>/_stoplog/<sinkId>/log`; `None` where neither the
  *                  log's place nor the checkpoint was given, which only a batch query may do
  * @param sinkId    sinks that share a location have different ones
  * @param fixed     the settings that must not change between two runs, by the names of the options
  * @param onForeign the treatment of the log of another query
  * @param onLost    the treatment of a decided transaction that cannot be committed any more
  */
private[stoplog] final case class TwoPhaseSettings(
    location: Option[String],
    sinkId: String,
    fixed: Map[String, String],
    onForeign: ForeignQuery,
    onLost: LostPart
) {

  /** Error: `STOPLOG_LOG_LOCATION`. */
  def path: String = location.getOrElse(throw Errors.logLocation())

  lazy val storage: SinkStorage = SinkStorage.plain(path, sinkId, Durability.Disk, SparkHadoop.configuration)
}

private[stoplog] object TwoPhaseSettings {

  /** As they were asked for. */
  def of(log: LogOptions, fixed: Map[String, String]): TwoPhaseSettings = TwoPhaseSettings(
    log.location,
    log.sinkId,
    fixed,
    log.onForeignQuery,
    log.onLostPart
  )
}
