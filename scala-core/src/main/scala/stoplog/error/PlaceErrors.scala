// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** Errors of a place that is not the expected one: another disk, another host, or a storage that does not answer. */
private[error] trait PlaceErrors { this: ErrorMaker =>

  /** @param missing the record that is not there, as users know its path */
  def placeChanged(missing: String): StoplogException = failure("STOPLOG_PLACE_CHANGED", "missing" -> missing)

  /** @param missing the newest record that is not there
    * @param kept    the number of records after it
    * @param least   the number of records that a log keeps
    */
  def logGap(path: String, sinkId: String, missing: String, kept: Int, least: Int): StoplogException =
    failure(
      "STOPLOG_LOG_GAP",
      "path"    -> path,
      "sinkId"  -> sinkId,
      "missing" -> missing,
      "kept"    -> kept,
      "least"   -> least
    )

  /** @param what   the file that one host has written and the other one cannot see
    * @param writer the host of the driver, or of a task, that has written it, in words
    * @param reader the host that cannot see it, in words
    */
  def pathNotShared(path: String, what: String, writer: String, reader: String): StoplogException =
    failure("STOPLOG_PATH_NOT_SHARED", "path" -> path, "what" -> what, "writer" -> writer, "reader" -> reader)

  /** @param what      that waits for the storage
    * @param forMillis so long, up to now
    */
  def storageHangs(what: String, forMillis: Long): StoplogException =
    failure("STOPLOG_STORAGE_HANGS", "what" -> what, "seconds" -> forMillis / 1000)

  /** @param owner of the sink's log
    * @param user  of this process
    */
  def otherOwner(path: String, sinkId: String, owner: String, user: String): StoplogException =
    failure("STOPLOG_OTHER_OWNER", "path" -> path, "sinkId" -> sinkId, "owner" -> owner, "user" -> user)

  /** @param host   of a task
    * @param driver the driver's host
    */
  def networkFileSystem(path: String, host: String, driver: String): StoplogException =
    failure("STOPLOG_NETWORK_FILE_SYSTEM", "path" -> path, "host" -> host, "driver" -> driver)
}
