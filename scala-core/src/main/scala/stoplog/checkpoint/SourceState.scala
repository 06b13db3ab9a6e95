// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

import org.apache.hadoop.conf.Configuration

import stoplog.fault.Faults
import stoplog.source.StateFiles
import stoplog.storage.Storage

/** The state of a source, in a directory that only this source uses. */
private[stoplog] object SourceState {

  /** Returns the state in a directory.
    *
    * Errors: `STOPLOG_STORE_NOT_EXCLUSIVE` if two drivers could both write the same record,
    * `STOPLOG_PATH_NOT_WRITABLE`, and those of [[Storage.at]].
    *
    * @param directory in a checkpoint, or the directory of a quarantine
    */
  def in(directory: String, configuration: Configuration): StateFiles =
    new StateFiles(Storage.state(directory, configuration), faults = Faults.ofThisJvm)
}
