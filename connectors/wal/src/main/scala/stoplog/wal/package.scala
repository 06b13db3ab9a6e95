// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A sink over a log: rows of an epoch are durable as chunks, the record decides, and chunks are sent then.
  *
  * [[RowSender]] and [[CheckpointCommitter]] are the seams for targets and for notes; connectors implement them in a package
  * `wal` of their own. The package knows no target but HTTP.
  */
package object wal
