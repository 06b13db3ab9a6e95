// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.part.RunId
import stoplog.storage.{JobDirectory, PartStore}

/** The presence of one process of a batch job under its path. Consists of the job's directory, and of a lease
  * that shows other processes that this process is alive.
  */
private[commit] final class JobPresence(
    run: RunId,
    identity: SinkIdentity,
    store: PartStore,
    job: JobDirectory,
    tools: DriverTools
) {
  private var lease = Option.empty[AutoCloseable]

  /** Acquires the lease. Error: `STOPLOG_STORE_WRITE`. */
  def enter(): Unit = lease = Some(store.enter(run))

  /** Releases the lease. Never throws. */
  def leave(): Unit = {
    lease.foreach(held =>
      Log.tolerating(s"${identity.sinkId} under ${identity.path} could not release its announcement")(
        held.close()
      )
    )
    lease = None
  }

  /** Deletes the job's directory. Callers ensure before that all parts of the record are published, and no
    * task of the job can decide anything any more.
    */
  def remove(): Unit = {
    tools.retry(() => store.beforeRemoval())
    job.delete(tools.faults)
  }
}
