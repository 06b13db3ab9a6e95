// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.store.local._
import stoplog.store.{FinishedStore, JobStore, NoteStore, PartStore, SideStore}

/** A local disk. */
final class LocalPlace(layout: Layout, override val content: Content) extends DirectoryPlace(layout) {
  override def root: String = directory.toString

  override def parts(sinkId: String, faults: Faults): PartStore =
    new LocalPartStore(root, sinkId, layout.of(sinkId), Durability.Process, faults)

  override def finished(): FinishedStore = new LocalFinished(root, Place.SinkId, Durability.Process)

  override def sides(sinkId: String): SideStore = new LocalSides(root, sinkId, Durability.Process)

  override def records(sinkId: String, faults: Faults): RecordStore =
    new LocalRecords(root, sinkId, Durability.Process, faults)

  override def notes(sinkId: String): NoteStore = new LocalNotes(root, sinkId, Durability.Process)

  override def job(name: String): JobStore = new LocalJobStore(root, name, Durability.Process)
}
