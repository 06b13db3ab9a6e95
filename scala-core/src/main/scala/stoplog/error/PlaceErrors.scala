// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** Errors of an unexpected location: another disk, another host, or a storage that does not respond. */
private[error] trait PlaceErrors { this: ErrorMaker =>

  /** @param missing the missing record, as a path known to users
    */
  def placeChanged(missing: String): StoplogException = failure("STOPLOG_PLACE_CHANGED", "missing" -> missing)

  /** @param missing the newest missing record
    * @param kept    the number of records after the missing record
    * @param least   the minimum number of records in a log
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

  /** @param what   the file written by one host and invisible to the other host
    * @param writer the description of the host of the driver or task that wrote the file
    * @param reader the description of the host that does not see the file
    */
  def pathNotShared(path: String, what: String, writer: String, reader: String): StoplogException =
    failure("STOPLOG_PATH_NOT_SHARED", "path" -> path, "what" -> what, "writer" -> writer, "reader" -> reader)

  /** @param what      the operation that waits for the storage
    * @param forMillis the waiting time so far, in milliseconds
    */
  def storageHangs(what: String, forMillis: Long): StoplogException =
    failure("STOPLOG_STORAGE_HANGS", "what" -> what, "seconds" -> forMillis / 1000)

  /** @param owner the owner of the sink's log
    * @param user  the user of this process
    */
  def otherOwner(path: String, sinkId: String, owner: String, user: String): StoplogException =
    failure("STOPLOG_OTHER_OWNER", "path" -> path, "sinkId" -> sinkId, "owner" -> owner, "user" -> user)

  /** @param host   the host of a task
    * @param driver the driver's host
    */
  def networkFileSystem(path: String, host: String, driver: String): StoplogException =
    failure("STOPLOG_NETWORK_FILE_SYSTEM", "path" -> path, "host" -> host, "driver" -> driver)
}
