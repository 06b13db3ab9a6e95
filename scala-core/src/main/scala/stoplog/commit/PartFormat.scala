package stoplog.commit

import java.io.OutputStream

/** How rows become bytes, as the protocol needs to know it: the format and the compression of a sink together.
  *
  * Bytes between [[openMember]] and the member's `finish` stand on their own, so that a part can be cut back to any
  * point between two members.
  */
trait PartFormat[-R] {

  /** Writes what a part starts with. */
  def begin(out: OutputStream): Unit

  /** Appends one row. */
  def encode(row: R, out: OutputStream): Unit

  /** Starts a compressed member on `out`; `None` for formats that are not compressed. */
  def openMember(out: OutputStream): Option[Member]
}

/** A compressed member or frame. */
trait Member {

  /** Takes the uncompressed bytes. */
  def stream: OutputStream

  /** Ends the member and hands all of it to the stream below, which stays open. */
  def finish(): Unit

  /** Frees what the compressor holds; what was not finished is given up. */
  def close(): Unit
}
