// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog
import stoplog.storage.FileStore

/** The logs under a path of a test's own storage.
  *
  * @param stores of the sink, or of the job, of that name
  */
class TestPathLogs(override val path: String, filesOf: => FileStore, stores: String => SinkStores)
    extends PathLogs {
  override def files: FileStore                 = filesOf
  override def storesOf(id: String): SinkStores = stores(id)
  override def anyLog(id: String): CommitLog    = stores(id).log
}
