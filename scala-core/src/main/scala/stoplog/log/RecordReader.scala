// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.annotation.tailrec

import stoplog.error.Errors

/** Reads the records of a log, and puts together what the difference of one says and the records say on which it rests.
  *
  * Errors of all: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`, `…_ELSEWHERE`, `STOPLOG_STORE_WRITE`.
  */
private[log] final class RecordReader(store: LogFiles, published: Published) {
  import RecordReader._

  // The state that a record leaves, which is known by the record's checksum: the next look need not read its base again.
  @volatile private var known = Option.empty[Known]

  /** The record as its file has it. */
  def stored(seq: Long): Option[StoredRecord] = store.read(seq).map { bytes =>
    RecordCodec.read(bytes, published) match {
      case Right(record)                     => record
      case Left(RecordCodec.Torn(why))       => throw torn(seq, why)
      case Left(RecordCodec.Elsewhere(why))  => throw Errors.recordElsewhere(store.describe(seq), why)
      case Left(RecordCodec.TooNew(version)) =>
        throw Errors.recordTooNew(store.describe(seq), version, RecordCodec.Version)
    }
  }

  /** The record with its state; `Gone` for one that is not there, or rests on one that is not there. */
  def whole(seq: Long): Either[Gone, LogRecord] = stored(seq).toRight(Gone(seq)).flatMap(whole)

  def whole(record: StoredRecord): Either[Gone, LogRecord] = resting(record, Nil)

  /** With all before it, back to the whole one or to one whose state is known. */
  @tailrec
  private def resting(record: StoredRecord, behind: List[StoredRecord.Delta]): Either[Gone, LogRecord] =
    record match {
      case StoredRecord.Whole(whole, checksum) =>
        Right(if (behind.isEmpty) remember(whole, checksum) else forward(whole.state, behind))
      case delta: StoredRecord.Delta =>
        val before = delta.decision.seq - 1
        known.filter(_.is(before, delta.base.checksum)) match {
          case Some(base) => Right(forward(base.state, delta :: behind))
          case None       =>
            stored(before) match {
              case None       => Left(Gone(before))
              case Some(base) => resting(refuseOther(delta, base), delta :: behind)
            }
        }
    }

  private def forward(from: SinkState, chain: List[StoredRecord.Delta]): LogRecord = {
    val last = chain.last
    StoredRecord.Delta.last(from, chain) match {
      case Right(record) => remember(record, last.checksum)
      case Left(why)     => throw torn(last.decision.seq, s"what it rests on does not fit together: $why")
    }
  }

  private def remember(record: LogRecord, checksum: String): LogRecord = {
    known = Some(Known(record.seq, checksum, record.state))
    record
  }

  /** A difference says something only of the record behind which it was written. */
  private def refuseOther(delta: StoredRecord.Delta, base: StoredRecord): StoredRecord =
    if (base.checksum == delta.base.checksum && restOn(base) == delta.base.whole) base
    else
      throw torn(
        delta.decision.seq,
        s"record ${delta.decision.seq - 1} is another one than that which it was written behind"
      )

  def torn(seq: Long, why: String): Throwable = Errors.recordTorn(store.describe(seq), why)
}

private[log] object RecordReader {

  /** Of the records that are needed, this one is not there. */
  final case class Gone(seq: Long) {

    /** The problem of a record that needs it, and is the newest. */
    def whyTorn(newest: Long): String =
      if (seq == newest) "it is listed and not there"
      else s"it rests on record $seq, which is not there"
  }

  /** The place of the whole record on which a record rests: its own, if it is whole. */
  def restOn(record: StoredRecord): Long = record match {
    case StoredRecord.Whole(whole, _) => whole.seq
    case delta: StoredRecord.Delta    => delta.base.whole
  }

  private final case class Known(seq: Long, checksum: String, state: SinkState) {
    def is(seq: Long, checksum: String): Boolean = this.seq == seq && this.checksum == checksum
  }
}
