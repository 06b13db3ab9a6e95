// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** By what a storage tells a file from what was there before under its name. */
private[file] final case class FileIdentity(bytes: Long, modifiedMillis: Long)

/** @param identity none for a file that is gone */
private[file] final case class SeenEntry(hash: PathHash, identity: Option[FileIdentity])

/** An entry in three longs: 96 bits of hash, 48 of length, 48 of time. */
private[file] object SeenEntry {
  final val Bytes = 24

  def pack(hash: PathHash, identity: FileIdentity): (Long, Long, Long) = (
    hash.high,
    (hash.low.toLong << 32) | ((identity.bytes >>> 16) & 0xffffffffL),
    (identity.bytes << 48) | (identity.modifiedMillis & 0xffffffffffffL)
  )

  def identity(second: Long, third: Long): FileIdentity =
    FileIdentity(((second & 0xffffffffL) << 16) | (third >>> 48), (third << 16) >> 16)
}
