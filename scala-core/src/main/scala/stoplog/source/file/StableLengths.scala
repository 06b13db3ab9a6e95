// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.SourceFile

/** How long unread files have had their lengths, as far as this run has seen it. 24 bytes for each. */
private[file] final class StableLengths(forMillis: Long) {
  private var before = new SeenTable
  private var now    = new SeenTable

  /** Files that the listing does not come by are forgotten. */
  def beginListing(): Unit = {
    before = now
    now = new SeenTable
  }

  /** The listing failed: what it did not come by is still known. */
  def abandonListing(): Unit = now = before

  /** A listing that began then came by the file. Whether an earlier one, long enough before, found the same length. */
  def isStable(file: SourceFile, nowMillis: Long): Boolean = {
    val hash  = PathHash.of(file.path)
    val slot  = before.find(hash)
    val known = Option.when(slot >= 0)(before.identity(slot)).filter(_.bytes == file.bytes)
    val since = known.fold(nowMillis)(_.modifiedMillis)
    now.put(hash, FileIdentity(file.bytes, since))
    nowMillis - since >= forMillis
  }
}
