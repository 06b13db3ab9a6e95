// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.io.OutputStream

import stoplog.rolling.{PartStats, RollReason}

/** The state of a part file in the commit log: [[Open]], then [[Pending]], then finished.
  *
  * A finished part has no object here. A finished part is a file under its final name and belongs to the
  * reader.
  */
private[stoplog] sealed trait Part extends PartStats with Product with Serializable {

  /** The final name of the part, without its bucket: `<prefix>-<uid>-<n><suffix>`. */
  def name: String

  /** The rows of the part. */
  def rows: PartRows

  /** The handle of the part in its store. */
  def handle: Publish

  final def records: Long                               = rows.count
  final def openedAtMillis: Long                        = rows.openedAtMillis
  final def lastWrittenAtMillis: Long                   = rows.lastWrittenAtMillis
  final override def firstEventTimeMillis: Option[Long] = rows.firstEventTimeMillis
  private[stoplog] final def schema: Option[SchemaId]   = rows.schema
  private[stoplog] final def times: Option[TimeRange]   = rows.times

  /** The path of the finished part under the sink's path. */
  final def finishedPath: String = if (bucket.isEmpty) name else s"$bucket/$name"
}

/** The rows of a part.
  *
  * @param openedAtMillis       see [[PartStats.openedAtMillis]]
  * @param lastWrittenAtMillis  see [[PartStats.lastWrittenAtMillis]]
  * @param schema               the columns of the rows. If the format allows different columns in a file, the
  *                             columns of the latest rows. `None` if the sink's log has no schema
  * @param times                the range of the rows' times. `None` if not requested, or if the times of some
  *                             rows are unknown
  * @param firstEventTimeMillis the start of the policy's event time interval. `None` if no policy needs the
  *                             time: after a change of the policy, the interval starts at the next row
  */
final case class PartRows(
    count: Long,
    openedAtMillis: Long,
    lastWrittenAtMillis: Long,
    schema: Option[SchemaId] = None,
    times: Option[TimeRange] = None,
    firstEventTimeMillis: Option[Long] = None
) {

  /** Whether a clock was ahead of this time when the rows were written. */
  private[stoplog] def areAhead(nowMillis: Long): Boolean =
    openedAtMillis.max(lastWrittenAtMillis) > nowMillis

  /** Returns the rows for a clock that is ahead by this difference, with the same age. */
  private[stoplog] def shifted(byMillis: Long): PartRows = written(
    openedAtMillis + byMillis,
    lastWrittenAtMillis + byMillis
  )

  /** Returns the rows for the driver's record, with no time later than the driver's clock. The clock of an
    * executor, or of an earlier driver, may have been ahead. The part would otherwise not age until the
    * driver's clock catches up.
    */
  private[stoplog] def by(nowMillis: Long): PartRows =
    if (areAhead(nowMillis)) written(openedAtMillis.min(nowMillis), lastWrittenAtMillis.min(nowMillis))
    else this

  /** Returns the rows with these times of writing. */
  private[stoplog] def written(openedAtMillis: Long, lastWrittenAtMillis: Long): PartRows =
    copy(openedAtMillis = openedAtMillis, lastWrittenAtMillis = lastWrittenAtMillis)
}

/** An open part. Bytes `[0, validBytes)` belong to committed epochs and never change (I2); any further bytes
  * are junk.
  *
  * @param spooled rows of committed epochs not yet contained in these bytes, and further state of the format
  */
final case class Open(
    bucket: String,
    name: String,
    handle: Resume,
    validBytes: Long,
    rows: PartRows,
    writer: LastWriter,
    spooled: Spooled = Spooled.nothing
) extends Part {
  def sizeBytes: Long = validBytes + spooled.storageBytes

  private[stoplog] def slot: Int            = writer.slot
  private[stoplog] def owner: Option[RunId] = writer.owner

  private[stoplog] def isAhead(nowMillis: Long): Boolean = rows.areAhead(nowMillis)

  /** See [[PartRows.shifted]]. */
  private[stoplog] def shifted(byMillis: Long): Open = copy(rows = rows.shifted(byMillis))

  /** See [[PartRows.by]]. */
  private[stoplog] def by(nowMillis: Long): Open =
    if (isAhead(nowMillis)) copy(rows = rows.by(nowMillis)) else this

  /** Returns the part with another owner. */
  private[stoplog] def ownedBy(owner: Option[RunId]): Open =
    if (owner == writer.owner) this else copy(writer = writer.copy(owner = owner))
}

/** The last writer of an open part.
  *
  * @param slot  the index of the last task to write the part: a preference, not an identity
  * @param owner the run whose first attempts may append in place. Any other run first keeps the writers of
  *              all other runs from the part. `None` if an attempt of the current run may still write to the
  *              part, so that the part has to be copied (I1)
  */
final case class LastWriter(slot: Int, owner: Option[RunId])

/** A closed part. Becomes visible if, and only if, a record names it (I3). */
private[stoplog] final case class Pending(
    bucket: String,
    name: String,
    handle: Publish,
    sizeBytes: Long,
    rows: PartRows,
    reason: RollReason
) extends Part

private[stoplog] object Pending {

  /** Returns the open part, closed at the end of its last committed epoch. */
  def of(open: Open, handle: Publish, reason: RollReason): Pending =
    Pending(open.bucket, open.name, handle, open.validBytes, open.rows, reason)
}

/** The handle for publishing a closed part: from any JVM, any number of times.
  *
  * The token is a string of the store and opaque to other code. The commit log stores the token unchanged.
  * The token never contains an absolute path, so that users can move a directory together with its log.
  */
sealed trait Publish extends Product with Serializable {
  def token: String

  /** The token for messages: truncated if the token contains many of the part's own bytes. */
  private[stoplog] final def brief: String =
    if (token.length <= Publish.BriefLength) token else s"${token.take(Publish.BriefLength)}…"
}

private object Publish {
  private val BriefLength = 300
}

/** The handle of a part that no writer will append to. */
final case class Closed(token: String) extends Publish

/** The handle of a part which can be published at its current location, or appended to. */
final case class Resume(token: String) extends Publish

/** A finished part which the log still names, because the part is small and may be compacted with others of
  * its bucket.
  *
  * The part still belongs to the reader, who may have moved or deleted the file.
  *
  * @param epoch  the last epoch of the sink when the part was published; -1 before the first
  * @param compactions the number of compactions of its rows so far
  * @param schema the columns of its rows, as in [[Part.schema]]
  */
private[stoplog] final case class FinishedPart(
    bucket: String,
    name: String,
    sizeBytes: Long,
    records: Long,
    epoch: Long,
    compactions: Int = 0,
    schema: Option[SchemaId] = None
) {

  /** The path of the part under the sink's path. */
  def path: String = if (bucket.isEmpty) name else s"$bucket/$name"
}

/** The data of an open part stored outside of the part's own bytes, for the writer that resumes the part.
  *
  * @param note         a short string of the format, stored in the record of every epoch
  * @param files        immutable files, in reading order; garbage once no record names them
  * @param storageBytes the estimated bytes that all spooled rows will add to the part
  * @param inRecord     the bytes to read after the files: few enough to be stored in the record itself
  */
private[stoplog] final case class Spooled(
    note: String,
    files: Vector[SpoolFile],
    storageBytes: Long,
    inRecord: RecordBytes = RecordBytes.empty
) {
  def isEmpty: Boolean = !hasRows && note.isEmpty

  /** Whether there are spooled bytes to read. */
  def hasRows: Boolean = files.nonEmpty || !inRecord.isEmpty
}

private[stoplog] object Spooled {
  val nothing: Spooled = Spooled("", Vector.empty, 0)
}

/** A spool file of an open part.
  *
  * @param token     the store's string for the file, relative to the sink's path
  * @param sizeBytes the length of the file: a shorter file was not written completely
  * @param level     the number of times that smaller files have been combined into this content
  */
private[stoplog] final case class SpoolFile(token: String, sizeBytes: Long, level: Int)

/** The earliest and the latest time of the rows of a part, in microseconds since 1970-01-01T00:00:00. */
private[stoplog] final case class TimeRange(minMicros: Long, maxMicros: Long)

/** Appends to a part. Callers must not close the stream. */
abstract class BlockOutput extends OutputStream {

  /** The number of bytes in the part so far, including bytes of earlier epochs. */
  def position: Long
}
