// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** A table of a database as the target and as the notes of a write-ahead sink: implementations of [[stoplog.wal.RowSender]]
  * and [[stoplog.wal.CheckpointCommitters]], which share a transaction where both are of one database.
  */
package object wal
