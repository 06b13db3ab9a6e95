// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of announcements. Only [[backlog]] fails a query. */
private[stoplog] object AnnounceErrors extends ErrorMaker {

  /** @param lastError the last error of the target, as a clause
    */
  def backlog(path: String, target: String, records: Long, lastError: Option[String]): StoplogException =
    failure(
      "STOPLOG_ANNOUNCEMENT_BACKLOG",
      "path"    -> path,
      "target"  -> target,
      "records" -> records,
      "why"     -> reason(lastError.getOrElse("it is slower than the query"))
    )

  /** @param lastError the last error of the target, as a clause
    */
  def undelivered(path: String, target: String, records: Long, lastError: Option[String]): StoplogException =
    failure(
      "STOPLOG_ANNOUNCEMENT_UNDELIVERED",
      "path"    -> path,
      "target"  -> target,
      "records" -> records,
      "why"     -> reason(lastError.getOrElse("the time limit has passed"))
    )

  /** @param stored   the id of the announcement at the stored position
    * @param identity of the log
    */
  def positionOfOther(path: String, target: String, stored: String, identity: String): StoplogException =
    position(
      path,
      target,
      stored,
      s"the log now has the identity $identity. The log was deleted since, or another sink has used the position"
    )

  /** @param stored the id of the announcement at the stored position
    * @param newest the newest record of the log when the position was first seen
    */
  def positionAhead(path: String, target: String, stored: String, newest: Long): StoplogException =
    position(
      path,
      target,
      stored,
      s"the newest record of the log was $newest. The directory of the sink was restored from an older copy, or a power " +
        "failure has removed records"
    )

  /** @param last the newest record that the target has received
    */
  def positionLost(path: String, target: String, last: Long): StoplogException = failure(
    "STOPLOG_ANNOUNCEMENT_POSITION_LOST",
    "path"   -> path,
    "target" -> target,
    "record" -> last
  )

  /** @param id  of the first refused announcement
    * @param why a clause
    */
  def refused(path: String, target: String, id: String, why: String): StoplogException = failure(
    "STOPLOG_ANNOUNCEMENT_REFUSED",
    "path"   -> path,
    "target" -> target,
    "id"     -> id,
    "why"    -> reason(why)
  )

  private def position(path: String, target: String, stored: String, why: String): StoplogException = failure(
    "STOPLOG_ANNOUNCEMENT_POSITION",
    "path"   -> path,
    "target" -> target,
    "stored" -> stored,
    "why"    -> why
  )
}
