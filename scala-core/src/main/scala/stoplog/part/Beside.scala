// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** The data of an open part beside its own bytes, for the writer that goes on with it.
  *
  * @param note         a short text of the format's own: it is in the record of every epoch
  * @param files        immutable files, in the order in which they are to be read; garbage once a record
  *                     no longer names them
  * @param storageBytes what the rows in them will add to the part, as far as that can be known
  */
final case class Beside(note: String, files: Vector[SideFile], storageBytes: Long) {
  def isEmpty: Boolean = files.isEmpty && note.isEmpty
}

object Beside {
  val nothing: Beside = Beside("", Vector.empty, 0)
}

/** One file beside an open part.
  *
  * @param token     the store's own text for it, relative to the sink's path
  * @param sizeBytes its length: one that is shorter was not written to its end
  * @param level     how often its content has been put together from smaller files
  */
final case class SideFile(token: String, sizeBytes: Long, level: Int)
