// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import org.apache.iceberg.encryption.EncryptionManager
import org.apache.iceberg.io.{FileIO, LocationProvider}
import org.apache.iceberg.{TableMetadata, TableOperations}

/** Forwards all calls but the commit to the operations of a catalog. */
private[iceberg] abstract class ForwardingOperations(table: TableOperations) extends TableOperations {

  override def current: TableMetadata = table.current

  override def refresh(): TableMetadata = table.refresh()

  override def io: FileIO = table.io

  override def encryption: EncryptionManager = table.encryption

  override def metadataFileLocation(name: String): String = table.metadataFileLocation(name)

  override def locationProvider: LocationProvider = table.locationProvider

  override def temp(uncommitted: TableMetadata): TableOperations = table.temp(uncommitted)

  override def newSnapshotId: Long = table.newSnapshotId

  override def requireStrictCleanup: Boolean = table.requireStrictCleanup
}
