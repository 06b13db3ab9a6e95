// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import stoplog.rolling.{PartStats, RollReason}

/** The state of a part file, as the commit log tells it: [[Open]], then [[Pending]], then finished.
  *
  * A finished part has no object here: it is a file under its final name, and belongs to the reader.
  */
sealed trait Part extends PartStats with Product with Serializable {

  /** The name that the part has once it is finished, without its bucket: `<prefix>-<uid>-<n><suffix>`. */
  def name: String

  /** The columns of its rows; of those that came last, in a format that allows others in one file. `None` for a part
    * of a release that did not record them.
    */
  def schema: Option[SchemaId]

  /** The range of its rows' times; `None` where it is not asked for, or some of the rows were not looked at. */
  def times: Option[TimeRange]

  /** The path of the finished part under the sink's path. */
  final def finishedPath: String = if (bucket.isEmpty) name else s"$bucket/$name"
}

/** Bytes `[0, validBytes)` belong to committed epochs and never change again (I2); what follows them is junk.
  *
  * @param slot   the task index that wrote it last; a preference, never an identity
  * @param owner  the run whose first attempts may append in place; `None` when a writer that should be gone may
  *               still be alive, so that the part has to be fenced or copied first (I1)
  * @param beside rows of committed epochs that are not among these bytes yet, and what else the format has to remember
  * @param firstEventTimeMillis from which the policy counts; `None` where no policy asks for it, as in a part of a release that
  *               did not record it: it counts from the next row then
  */
final case class Open(
    bucket: String,
    name: String,
    slot: Int,
    handle: Resume,
    validBytes: Long,
    records: Long,
    openedAtMillis: Long,
    lastWrittenAtMillis: Long,
    owner: Option[RunId],
    beside: Beside = Beside.nothing,
    schema: Option[SchemaId] = None,
    times: Option[TimeRange] = None,
    override val firstEventTimeMillis: Option[Long] = None
) extends Part {
  def sizeBytes: Long = validBytes + beside.storageBytes
}

/** Closed: becomes visible when, and only when, a record names it (I3). */
final case class Pending(
    bucket: String,
    name: String,
    handle: Publish,
    sizeBytes: Long,
    records: Long,
    openedAtMillis: Long,
    lastWrittenAtMillis: Long,
    reason: RollReason,
    schema: Option[SchemaId] = None,
    times: Option[TimeRange] = None
) extends Part

object Pending {

  /** The open part, closed where its last committed epoch left it. */
  def of(open: Open, handle: Publish, reason: RollReason): Pending =
    Pending(
      open.bucket,
      open.name,
      handle,
      open.validBytes,
      open.records,
      open.openedAtMillis,
      open.lastWrittenAtMillis,
      reason,
      open.schema,
      open.times
    )
}
