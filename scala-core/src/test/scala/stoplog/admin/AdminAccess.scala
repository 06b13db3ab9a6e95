// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.commit.{Announcer, DriverTools, PathLogs, SinkStores}
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogRecord}
import stoplog.part.RunId
import stoplog.storage.FileStore
import stoplog.writing.PartFormat

/** The tools of a sink on a test's own storage. */
object AdminAccess {

  /** @param newRun makes the id of a run that changes something
    * @param cuts   whether the beginning of a finished part can be made a part of its own
    */
  def of(sinkId: String, newRun: () => RunId, own: SinkStores, cuts: Boolean, tools: DriverTools)(
      formatOf: => PartFormat[_],
      logsUnderPath: => PathLogs
  ): SinkAdmin = {
    val storage = new SinkContext.SinkContextStorage {
      override def log: CommitLog                            = own.log
      override def anyLog: CommitLog                         = own.log
      override def notes: FileStore                          = own.files
      override def sinkIds: Vector[String]                   = Vector(sinkId)
      override def finishesAnywhere: Boolean                 = cuts
      override def stores(newest: LogRecord): SinkStores     = own
      override def format(stores: SinkStores): PartFormat[_] = formatOf

      override def logs: PathLogs = logsUnderPath

      override def announced(logName: String, sinkId: String): Announcer.Place =
        Announcer.Place("sink", sinkId, logName, own.files, () => own.log, () => Vector.empty, Faults.none)
    }
    new SinkAdmin(new SinkContext("sink", sinkId, storage, tools, newRun))
  }
}
