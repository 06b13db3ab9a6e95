// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.commit.{Ledger, PathLogs, SinkStores}
import stoplog.log.{CommitLog, RecordKind}
import stoplog.storage.{FileStore, SpoolFiles}

/** All logs on the simulated disk, as one process sees them. */
final class SimLogs(world: World, mutation: Mutation) extends PathLogs {
  override val path: String     = "sink"
  override val files: FileStore = mutation.notes(world, new SimNotes(world))

  override def storesOf(id: String): SinkStores = new SimStores(world, mutation, id).of(files)

  override def anyLog(id: String): CommitLog = storesOf(id).log

  override def streams: Map[String, CommitLog] = mutation.streams(super.streams)

  override def replacing(job: String, kind: RecordKind): Ledger.Stores = {
    val own      = new SimStores(world, mutation, DiskLog.Replace)
    val finished = if (kind == RecordKind.Compact) own.finished else own.overwritten
    SinkStores.of(own.commits, storesOf(job).parts, SpoolFiles.none, finished, files)
  }
}
