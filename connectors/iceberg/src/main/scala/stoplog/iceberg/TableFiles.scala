// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{DataOperations, Snapshot, SnapshotChanges, Table}
import org.apache.iceberg.util.SnapshotUtil

import stoplog.announce.table.TableContent

/** The files of a table, and the removed files in the retained snapshots.
  *
  * @param path of the sink
  */
private[iceberg] final class TableFiles(table: Table, path: SinkPath) {

  def content: TableContent = {
    val addresses    = Using.resource(table.newScan().planFiles())(_.asScala.map(_.file.location).toVector)
    val files        = addresses.flatMap(path.relative)
    val history      = SnapshotUtil.currentAncestors(table).asScala.toVector
    val (own, other) = history.filter(_.operation != DataOperations.APPEND).partition(isOfSink)
    new TableContent(
      files,
      elsewhere = addresses.size - files.size,
      removed = own.flatMap(removedBy).toSet,
      removedByOthers = other
        .flatMap(each => removedBy(each).map(_ -> s"snapshot ${each.snapshotId} (${each.operation})"))
        .toMap,
      sinceMillis = history.lastOption.filter(_.parentId != null).map(_.timestampMillis),
      isListed = table.properties.keySet.asScala.exists(StoredPosition.isOfPath(_, TableCommit.Listed, path))
    )
  }

  private def isOfSink(snapshot: Snapshot): Boolean = snapshot.summary.containsKey(StoredPosition.LogKey)

  private def removedBy(snapshot: Snapshot): Vector[String] = SnapshotChanges
    .builderFor(table)
    .snapshot(snapshot)
    .build()
    .removedDataFiles
    .asScala
    .flatMap(file => path.relative(file.location))
    .toVector
}
