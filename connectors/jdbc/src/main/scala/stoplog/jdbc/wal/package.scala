// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** A database table as the target and as the notes of a write-ahead sink. Implements
  * [[stoplog.wal.RowSender]] and [[stoplog.wal.CheckpointCommitters]], which share a transaction if both use
  * the same database.
  */
package object wal
