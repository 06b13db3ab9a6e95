// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import stoplog.part.{Closed, Resume}

/** The open end of a part. Not buffered, so hand over large pieces. Used by one thread at a time: the one that ends it
  * need not be the one that wrote, and the parts of a task are ended side by side.
  */
trait PartOutput {

  /** Bytes in the part up to here; also once it has been ended. */
  def position: Long

  /** Appends. Error: `STOPLOG_STORE_WRITE`, for example on a full disk. */
  def write(bytes: Array[Byte], offset: Int, length: Int): Unit

  /** Makes `[0, position)` durable and closes; the part can be resumed from the handle. */
  def persist(): Resume

  /** Makes `[0, position)` durable and closes for good. */
  def finish(): Closed

  /** Gives the resources back and promises nothing. Deletes nothing (I5). Harmless after the other two. */
  def close(): Unit
}
