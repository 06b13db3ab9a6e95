// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.twophase.TwoPhaseSettings
import stoplog.storage.{FileStore, SpoolFiles}

/** Where a sink's log is, on whatever storage that is. Goes to the executors. */
final class LogPlace private[wal] (settings: TwoPhaseSettings) extends Serializable {
  def sinkId: String = settings.sinkId

  /** The directory, as the user gave it. */
  def location: String = settings.path

  /** Small files of the sink. */
  private[wal] def notes: FileStore = settings.storage.files

  /** Files of rows. */
  private[wal] def files: SpoolFiles = settings.storage.sides
}
