// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** One member (gzip), frame (zstd) or run of blocks (lz4, snappy, bzip2) of a compressed part.
  *
  * A part is several of these one after another, one for each epoch that wrote to it: after [[finish]] the
  * bytes of the part are a whole file for any reader, and a next member may follow.
  *
  * Not safe for use by several threads.
  */
abstract class MemberStream extends OutputStream {

  /** Writes what is still buffered and the member's end to the underlying stream, which stays open and is not
    * flushed. Nothing may be written afterwards. A second call does nothing.
    */
  def finish(): Unit

  /** Frees what the compressor holds. A member that was not finished is given up: nothing more of it is
    * written.
    */
  override def close(): Unit

  /** Does nothing: only [[finish]] brings a member to a point from which the part can go on. */
  override def flush(): Unit = ()
}
