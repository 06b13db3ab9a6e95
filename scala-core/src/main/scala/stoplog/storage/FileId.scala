// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** The storage's number of a file: an inode, or the id of HDFS. A rename keeps the id. A storage MAY give the
  * id of a deleted file to a new file.
  *
  * Listings create an id for each file but compute few ids.
  */
final class FileId private (read: () => Long) extends Serializable {

  /** 0 if the storage has no such numbers. */
  lazy val value: Long = read()

  def isKnown: Boolean = value != 0

  /** Whether both ids are known and differ. */
  def isOther(than: FileId): Boolean = isKnown && than.isKnown && value != than.value

  override def equals(other: Any): Boolean = other match {
    case id: FileId => id.value == value
    case _          => false
  }

  override def hashCode: Int    = value.hashCode
  override def toString: String = if (isKnown) s"id $value" else "no id"

  private def writeReplace: AnyRef = FileId.Known(value)
}

object FileId {

  /** The id on a storage without such numbers, such as an object store. */
  val Unknown: FileId = FileId(0)

  def apply(value: Long): FileId = new FileId(() => value)

  /** Returns the id that `read` returns, computed on first use. */
  def of(read: () => Long): FileId = new FileId(read)

  private final case class Known(value: Long) {
    private def readResolve: AnyRef = FileId(value)
  }
}
