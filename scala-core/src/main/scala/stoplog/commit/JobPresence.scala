// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.part.RunId
import stoplog.storage.{JobDirectory, PartStore}

/** The presence of one process of a batch job under its path: the lease that tells other processes that this one is alive,
  * and the job's directory.
  */
private[commit] final class JobPresence(
    run: RunId,
    identity: SinkIdentity,
    store: PartStore,
    job: JobDirectory,
    tools: DriverTools
) {
  private var lease = Option.empty[AutoCloseable]

  /** Takes the lease. Error: `STOPLOG_STORE_WRITE`. */
  def enter(): Unit = lease = Some(store.enter(run))

  /** Returns the lease. Never throws. */
  def leave(): Unit = {
    lease.foreach(held =>
      Log.tolerating(s"${identity.sinkId} under ${identity.path} could not say that it has ended")(
        held.close()
      )
    )
    lease = None
  }

  /** Deletes the job's directory. No part that a record names is unpublished, and no task of the job can decide anything
    * any more.
    */
  def remove(): Unit = {
    tools.retry(() => store.beforeRemoval())
    job.delete(tools.faults)
  }
}
