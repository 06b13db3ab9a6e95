// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A sink over a log. The rows of an epoch are durable as chunks, the record decides, and then the chunks are
  * sent.
  *
  * [[RowSender]] and [[CheckpointCommitter]] are the interfaces for targets and for notes. Connectors
  * implement these interfaces in their own package `wal`. This package contains only a single target, HTTP.
  */
package object wal
