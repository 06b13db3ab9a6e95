// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.storage.local._
import stoplog.storage.{FileStore, JobDirectory, PartStore, ReplacedFiles, SpoolFiles}

/** A local disk. */
final class LocalPlace(layout: Layout, override val content: Content) extends DirectoryPlace(layout) {
  override def root: String = directory.toString

  override def parts(sinkId: String, faults: Faults): PartStore =
    new LocalPartStore(root, sinkId, layout.of(sinkId), LocalForcing.Process, faults)

  override def replaced(sinkId: String): ReplacedFiles =
    new ReplacedFiles(LocalFileStore.ofSink(root, sinkId, LocalForcing.Process), sinkId)

  override def spoolFiles(sinkId: String): SpoolFiles =
    new SpoolFiles(LocalFileStore.ofSink(root, sinkId, LocalForcing.Process), sinkId)

  override def records(sinkId: String, faults: Faults): LogFiles =
    new LogFiles(LocalFileStore.ofSink(root, sinkId, LocalForcing.Process), sinkId, faults)

  override def notes(sinkId: String): FileStore = LocalFileStore.ofSink(root, sinkId, LocalForcing.Process)

  override def job(name: String): JobDirectory =
    new JobDirectory(LocalFileStore.ofSink(root, name, LocalForcing.Process), name)
}
