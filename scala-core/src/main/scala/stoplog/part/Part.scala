// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.io.OutputStream

import stoplog.rolling.{PartStats, RollReason}

/** The state of a part file, as the commit log tells it: [[Open]], then [[Pending]], then finished.
  *
  * A finished part has no object here: it is a file under its final name, and belongs to the reader.
  */
private[stoplog] sealed trait Part extends PartStats with Product with Serializable {

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
    beside: Spooled = Spooled.nothing,
    schema: Option[SchemaId] = None,
    times: Option[TimeRange] = None,
    override val firstEventTimeMillis: Option[Long] = None
) extends Part {
  def sizeBytes: Long = validBytes + beside.storageBytes

  private[stoplog] def isAhead(nowMillis: Long): Boolean = openedAtMillis.max(lastWrittenAtMillis) > nowMillis

  /** As a task sees it whose clock is so far ahead of the driver's: with the same age. */
  private[stoplog] def shifted(byMillis: Long): Open =
    copy(openedAtMillis = openedAtMillis + byMillis, lastWrittenAtMillis = lastWrittenAtMillis + byMillis)

  /** As a driver records it: by its own clock nothing has happened after this time. The clock of an executor, or of an earlier
    * driver, may have been ahead, and the part would not grow old for so long.
    */
  private[stoplog] def by(nowMillis: Long): Open =
    if (!isAhead(nowMillis)) this
    else
      copy(
        openedAtMillis = openedAtMillis.min(nowMillis),
        lastWrittenAtMillis = lastWrittenAtMillis.min(nowMillis)
      )
}

/** Closed: becomes visible when, and only when, a record names it (I3). */
private[stoplog] final case class Pending(
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
) extends Part {

  /** As [[Open.by]]. */
  def by(nowMillis: Long): Pending = copy(
    openedAtMillis = openedAtMillis.min(nowMillis),
    lastWrittenAtMillis = lastWrittenAtMillis.min(nowMillis)
  )
}

private[stoplog] object Pending {

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

/** The handle by which a store makes a closed part visible, from any JVM, any number of times.
  *
  * The token is the store's own text and means nothing to other code; it goes into the commit log as it is. It
  * never holds an absolute path, so that a directory can be moved with its log.
  */
sealed trait Publish extends Product with Serializable {
  def token: String

  /** The token for messages: without most of the part's own bytes, where it has many. */
  private[stoplog] final def brief: String =
    if (token.length <= Publish.BriefLength) token else s"${token.take(Publish.BriefLength)}…"
}

private object Publish {
  private val BriefLength = 300
}

/** The handle of a part to which no writer will append any more. */
final case class Closed(token: String) extends Publish

/** The handle of a part that can be published where it stands, or appended to. */
final case class Resume(token: String) extends Publish

/** A finished part that the log goes on to name, because it is small and may be merged with others of its bucket.
  *
  * It belongs to the reader all the same, who may have moved or deleted it.
  *
  * @param epoch  the last epoch of the sink when the part was published; -1 before the first
  * @param merges how many merges its rows have been through
  * @param schema the columns of its rows, as in [[Part.schema]]
  */
private[stoplog] final case class FinishedPart(
    bucket: String,
    name: String,
    sizeBytes: Long,
    records: Long,
    epoch: Long,
    merges: Int = 0,
    schema: Option[SchemaId] = None
) {

  /** The path of the part under the sink's path. */
  def path: String = if (bucket.isEmpty) name else s"$bucket/$name"
}

/** The data of an open part beside its own bytes, for the writer that goes on with it.
  *
  * @param note         a short text of the format's own: it is in the record of every epoch
  * @param files        immutable files, in the order in which they are to be read; garbage once a record
  *                     no longer names them
  * @param storageBytes what all its rows will add to the part, as far as that can be known
  * @param inRecord     what is to be read behind the files: so few bytes that the record has them itself
  */
private[stoplog] final case class Spooled(
    note: String,
    files: Vector[SpoolFile],
    storageBytes: Long,
    inRecord: RecordBytes = RecordBytes.empty
) {
  def isEmpty: Boolean = !hasRows && note.isEmpty

  /** Whether there is anything to read. */
  def hasRows: Boolean = files.nonEmpty || !inRecord.isEmpty
}

private[stoplog] object Spooled {
  val nothing: Spooled = Spooled("", Vector.empty, 0)
}

/** One file beside an open part.
  *
  * @param token     the store's own text for it, relative to the sink's path
  * @param sizeBytes its length: one that is shorter was not written to its end
  * @param level     how often its content has been put together from smaller files
  */
private[stoplog] final case class SpoolFile(token: String, sizeBytes: Long, level: Int)

/** The earliest and the latest time among the rows of a part, in microseconds since 1970-01-01T00:00:00. */
private[stoplog] final case class TimeRange(minMicros: Long, maxMicros: Long)

/** The end of a part. Do not close it. */
abstract class BlockOutput extends OutputStream {

  /** Bytes in the part up to here, those of earlier epochs included. */
  def position: Long
}
