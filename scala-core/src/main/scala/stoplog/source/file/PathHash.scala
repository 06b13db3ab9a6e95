// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** The stored hash of a path: 96 bits of its SHA-256. Among a hundred million files, the odds that any two share them
  * are one to ten trillion.
  */
private[file] final case class PathHash(high: Long, low: Int) extends Ordered[PathHash] {
  override def compare(that: PathHash): Int = {
    val byHigh = java.lang.Long.compareUnsigned(high, that.high)
    if (byHigh != 0) byHigh else Integer.compareUnsigned(low, that.low)
  }
}

private[file] object PathHash {
  def of(path: String): PathHash = {
    val bytes = ByteBuffer.wrap(digest.get().digest(path.getBytes(UTF_8)))
    PathHash(bytes.getLong(), bytes.getInt())
  }

  private val digest = ThreadLocal.withInitial[MessageDigest](() => MessageDigest.getInstance("SHA-256"))
}
