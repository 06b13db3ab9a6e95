// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.storage.local._
import stoplog.storage.{ReplacedFiles, JobDirectory, FileStore, PartStore, SpoolFiles}

/** A local disk. */
final class LocalPlace(layout: Layout, override val content: Content) extends DirectoryPlace(layout) {
  override def root: String = directory.toString

  override def parts(sinkId: String, faults: Faults): PartStore =
    new LocalPartStore(root, sinkId, layout.of(sinkId), Durability.Process, faults)

  override def finished(): ReplacedFiles = new LocalFinished(root, Place.SinkId, Durability.Process)

  override def sides(sinkId: String): SpoolFiles = new LocalSides(root, sinkId, Durability.Process)

  override def records(sinkId: String, faults: Faults): LogFiles =
    new LocalRecords(root, sinkId, Durability.Process, faults)

  override def notes(sinkId: String): FileStore = new LocalNotes(root, sinkId, Durability.Process)

  override def job(name: String): JobDirectory = new LocalJobStore(root, name, Durability.Process)
}
