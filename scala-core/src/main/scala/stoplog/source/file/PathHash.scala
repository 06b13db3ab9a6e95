// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{DataInput, DataOutput}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import stoplog.storage.FileStore

/** The stored hash of a path, 96 bits. For a file or directory of a source, 80 bits are from the SHA-256 of
  * its path, and 16 bits are the tag of the parent directory. Among a hundred million files, the probability
  * that any two files share a hash is 1 in 200 million.
  */
private[file] final case class PathHash(high: Long, low: Int) extends Ordered[PathHash] {

  /** The tag of the file's directory. A doubt about a directory applies to all files with the same tag. */
  def tag: Int = low & PathHash.TagMask

  def write(out: DataOutput): Unit = {
    out.writeLong(high)
    out.writeInt(low)
  }

  override def compare(that: PathHash): Int = {
    val byHigh = java.lang.Long.compareUnsigned(high, that.high)
    if (byHigh != 0) byHigh else Integer.compareUnsigned(low, that.low)
  }
}

private[file] object PathHash {

  /** The size of a hash, in bytes. */
  final val Bytes = 12

  /** The number of different tags. */
  final val Tags = 1 << 16

  /** Returns the hash of any text, without a tag. */
  def of(text: String): PathHash = {
    val bytes = ByteBuffer.wrap(digest.get().digest(text.getBytes(UTF_8)))
    PathHash(bytes.getLong(), bytes.getInt())
  }

  /** Returns the hash of a file's path below the root. */
  def ofFile(path: String): PathHash = ofFile(path, tagOf(FileStore.directoryOf(path)))

  /** @param tag of the directory that contains the file */
  def ofFile(path: String, tag: Int): PathHash = {
    val hash = of(path)
    PathHash(hash.high, (hash.low & ~TagMask) | tag)
  }

  /** Returns the hash of a directory's path below the root, which no file shares. */
  def ofDirectory(path: String): PathHash =
    ofFile(s"$path/", tagOf(if (path.isEmpty) AboveRoot else FileStore.directoryOf(path)))

  /** Returns the tag of a directory. Checkpoints contain tags, so the function MUST NOT change. */
  def tagOf(directory: String): Int = (directory.hashCode * Spread) >>> 16

  def read(in: DataInput): PathHash = PathHash(in.readLong(), in.readInt())

  def writeAll(hashes: Vector[PathHash], out: DataOutput): Unit = {
    out.writeInt(hashes.size)
    hashes.foreach(_.write(out))
  }

  def readAll(in: DataInput): Vector[PathHash] = Vector.fill(in.readInt())(read(in))

  private final val TagMask   = Tags - 1
  private final val Spread    = 0x9e3779b1
  private final val AboveRoot = "/"

  private val digest = ThreadLocal.withInitial[MessageDigest](() => MessageDigest.getInstance("SHA-256"))
}
