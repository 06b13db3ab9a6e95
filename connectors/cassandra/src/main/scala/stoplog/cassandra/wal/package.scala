// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** A Cassandra table as the target and as the notes of a write-ahead sink: implementations of
  * [[stoplog.wal.RowSender]] and [[stoplog.wal.CheckpointCommitters]].
  */
package object wal
