// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.Beside

/** How rows become the bytes of parts, as the protocol needs to know it. For one task, or for the driver. */
trait PartFormat[-R] {

  /** The encoder for the rows of a part that begins at `end`, which is empty still. */
  def begin(name: String, end: PartBuffer): PartEncoder[R]

  /** The same for a part that earlier epochs have left open. `end` is behind its last valid byte. */
  def resume(name: String, end: PartBuffer, beside: Beside): PartEncoder[R]
}

/** The rows of one part on their way to its end. Used by one thread at a time. */
trait PartEncoder[-R] {

  /** Appends one row, which must not be kept: it is reused. */
  def append(row: R): Unit

  /** Bytes that the part would have on storage if it ended now, estimated for rows that are not encoded yet. */
  def sizeBytes: Long

  /** Brings the part to a point from which any process can go on with it. What is to be kept beside it for that is
    * written when its bytes are.
    */
  def pause(): Leftover

  /** Writes all that is still to be written: the part is a whole file then. */
  def finish(): Unit

  /** Frees what it holds; what was not written is given up. Harmless after the others. */
  def close(): Unit
}
