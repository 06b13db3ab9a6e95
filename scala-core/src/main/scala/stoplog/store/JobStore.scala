package stoplog.store

/** What a batch job needs of a storage beside parts and records: the sink's path as a whole. */
trait JobStore {

  /** The top-level files and directories under the path that readers see. */
  def visible(): Vector[String]

  /** Takes one of them out of the readers' sight, into the job's own directory. Done already is done. */
  def setAside(entry: String): Unit

  /** Removes the job's own directory with all that is in it. */
  def remove(): Unit

  /** When anything in the job's own directory was last written, in milliseconds since 1970-01-01T00:00:00Z. */
  def lastModifiedMillis(): Long
}
