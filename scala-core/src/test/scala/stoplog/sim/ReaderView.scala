// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

/** What the readers have seen: each row once, in a file that is there or that one of them has taken. */
final class ReaderView {
  private val shown   = mutable.Set.empty[String]
  private val taken   = mutable.Set.empty[String]
  private val twice   = mutable.Set.empty[String]
  private val forever = mutable.Map.empty[String, Inode]
  private val away    = mutable.Map.empty[String, Inode]

  /** A file that was visible never changes. */
  def fingerprint: Long = Fingerprint.of((shown, taken, twice, forever.keySet, away.keySet))

  /** How many rows a reader can see now, and which. */
  def visible: Int = shown.size

  def rows: Iterator[String] = shown.iterator

  /** Whether it can be seen now. */
  def isShown(row: String): Boolean = shown(row)

  def isSeen(row: String): Boolean = shown(row) || taken(row)

  def wasVisible(file: String): Boolean = forever.contains(file)

  /** A file that is or was visible. */
  def file(name: String): Option[Inode] = forever.get(name)

  /** The file that a reader has taken. */
  def takenFile(name: String): Option[Inode] = away.get(name)

  def shows(name: String, inode: Inode, rows: Seq[String]): Unit = {
    if (away.contains(name)) violated(s"$name comes back, after a reader has taken it")
    if (forever.put(name, inode).nonEmpty) violated(s"$name becomes visible a second time")
    rows.foreach(see(name, _))
  }

  /** A part that was set aside is there again. */
  def showsAgain(name: String, rows: Seq[String]): Unit = rows.foreach(see(name, _))

  def hides(rows: Seq[String]): Unit = shown --= rows

  /** A power loss has taken the name. */
  def vanished(name: String, rows: Seq[String]): Unit = {
    forever.remove(name)
    hides(rows)
  }

  def takes(name: String, inode: Inode, rows: Seq[String]): Unit = {
    away.update(name, inode)
    shown --= rows
    taken ++= rows
  }

  /** These may be seen once more: their reader has taken them between the last look and the rename, as
    * `docs/files/compaction.md` says that it must not.
    */
  def excuses(rows: Seq[String]): Unit = twice ++= rows

  private def see(name: String, row: String): Unit = {
    if (!shown.add(row)) violated(s"$name shows '$row' a second time")
    if (taken(row)) {
      if (!ReaderView.isCompacted(name)) violated(s"$name shows '$row' again, which a reader has taken")
      if (!twice.remove(row)) violated(s"${ReaderView.CompactedShowsTaken}: '$row' in $name")
    }
  }

  private def violated(message: String): Nothing = throw new Violation(message)
}

object ReaderView {

  /** Begins what is said of a row that a reader has taken with an input of a merge. Of any other file, or of the merged part that
    * itself was taken, it is said in other words.
    */
  val CompactedShowsTaken: String = "a merged part shows what a reader has taken"

  /** As [[stoplog.part.PartNaming]] calls them. */
  private def isCompacted(name: String): Boolean = name.matches(".*-m\\d+")
}
