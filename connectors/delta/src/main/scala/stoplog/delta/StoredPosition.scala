// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.Optional

import io.delta.kernel.data.Row
import io.delta.kernel.internal.actions.{SetTransaction, SingleAction}

import stoplog.announce.{AnnouncementId, LogId}
import stoplog.announce.table.Refusal

/** The newest delivered announcement of a log, as a transaction identifier of the table: the application is
  * the log, and the version has the sequence and the number. Delta keeps the identifiers in its checkpoints.
  */
private[delta] object StoredPosition {

  /** The start of the applications of all logs with this name. A log that was created again has another
    * identity.
    *
    * @param target a target with a new name starts again
    */
  def prefix(target: String, logName: String): String = s"stoplog/$target/$logName/"

  /** Whether a transaction identifier is a position of any target. */
  def isPosition(application: String): Boolean = application.startsWith("stoplog/")

  /** The action that stores the id. Throws [[Refusal]] if the version cannot contain the id. */
  def action(target: String, id: AnnouncementId, millis: Long): Row = {
    if (id.number > MaxNumber || id.sequence > MaxSequence)
      throw new Refusal(
        s"the announcement $id has a larger number than a table can store: a record changes at most ${MaxNumber + 1} " +
          "directories. Write fewer directories in an epoch"
      )
    val version = id.sequence << NumberBits | id.number
    val stored  =
      new SetTransaction(prefix(target, id.log.name) + id.log.identity, version, Optional.of(millis))
    SingleAction.createTxnSingleAction(stored.toRow)
  }

  /** Returns the id of a log with this name. */
  def of(prefix: String, stored: SetTransaction): Option[AnnouncementId] =
    Option.when(stored.getAppId.startsWith(prefix)) {
      val identity = stored.getAppId.drop(prefix.length)
      val log      = LogId(prefix.stripSuffix("/").split('/').last, identity)
      AnnouncementId(log, stored.getVersion >> NumberBits, (stored.getVersion & MaxNumber).toInt)
    }

  private val NumberBits  = 20
  private val MaxNumber   = (1 << NumberBits) - 1
  private val MaxSequence = Long.MaxValue >> NumberBits
}
