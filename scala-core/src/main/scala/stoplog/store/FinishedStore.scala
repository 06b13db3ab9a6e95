// SPDX-License-Identifier: Apache-2.0
package stoplog.store

/** What a store does to finished parts, when a record says that others take their place.
  *
  * Finished parts belong to their readers. Nobody calls this but for a record of the log, and every step may be done
  * again by any process, and beside another one that does the same.
  */
trait FinishedStore {

  /** How long the file is under this path, in bytes; `None` when there is none. */
  def sizeBytes(path: String): Option[Long]

  /** Takes a finished part out of the readers' sight, to a place of the record `seq`. What is gone already, there or
    * elsewhere, is no error.
    */
  def setAside(seq: Long, path: String): Unit

  /** The same of some, up to [[together]]. */
  def setAside(seq: Long, paths: Seq[String]): Unit = paths.foreach(setAside(seq, _))

  /** How many at a time cost no more than one. */
  def together: Int = 1

  /** Brings it back, if it was set aside for that record. Error: `STOPLOG_NAME_TAKEN`. */
  def putBack(seq: Long, path: String): Unit

  /** Brings back what this process has set aside late: others had carried out the record, found its own part lost, and
    * brought this one back already. Does nothing where to set aside is to copy, since a late copy may be older than that.
    */
  def putBackLate(seq: Long, path: String): Unit = ()

  /** Gives a finished part a second name, or copies it. Both are paths below the sink's path, and the second one is out
    * of the readers' sight. What is there already stays as it is.
    */
  def keep(path: String, as: String): Unit

  /** Deletes all that was set aside for the record. What is gone already is no error. */
  def forget(seq: Long): Unit

  /** The records for which there may be something set aside. */
  def setAsideFor(): Vector[Long]
}

object FinishedStore {

  /** Where a part lies that was set aside for a record. Below its whole path: only parts of this sink have names that
    * occur once in the world, and rejected rows share them.
    */
  private[stoplog] def place(sinkId: String, seq: Long, path: String): String =
    s"${formerPlace(sinkId, seq, path)}$Unseen"

  /** The same, and where an earlier version laid it. */
  private[store] def places(sinkId: String, seq: Long, path: String): Seq[String] =
    Seq(place(sinkId, seq, path), formerPlace(sinkId, seq, path))

  private def formerPlace(sinkId: String, seq: Long, path: String): String =
    s"${directory(sinkId, seq)}/$path"

  /** The end of the name of a finished part that is out of its readers' sight: `*.json` below the path finds no such file.
    */
  private[stoplog] val Unseen: String = ".aside"

  private[stoplog] def directory(sinkId: String, seq: Long): String = s"${root(sinkId)}/$seq"

  private[store] def root(sinkId: String): String = s"_stoplog/$sinkId/replaced"

  /** For a log in which nothing is ever replaced. */
  val untouched: FinishedStore = new FinishedStore {
    override def sizeBytes(path: String): Option[Long]   = None
    override def setAside(seq: Long, path: String): Unit = refuse()
    override def putBack(seq: Long, path: String): Unit  = refuse()
    override def keep(path: String, as: String): Unit    = refuse()
    override def forget(seq: Long): Unit                 = refuse()
    override def setAsideFor(): Vector[Long]             = Vector.empty

    private def refuse(): Nothing = throw new IllegalStateException("Nothing is replaced here.")
  }
}
