// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.nio.ByteBuffer
import java.security.MessageDigest

import scala.annotation.tailrec

import stoplog.error.Errors

/** Reads the records of a log and combines differences with their base records.
  *
  * Errors of all methods: `STOPLOG_RECORD_TORN`, `…_TOO_NEW`, `…_ELSEWHERE`, `STOPLOG_STORE_WRITE`.
  */
private[log] final class RecordChain(store: LogFiles, published: Published) {
  import RecordChain._

  // Caches the state of a record by checksum, so that the next read need not load its base again.
  @volatile private var known = Option.empty[Resting]

  // A start may read the newest record several times. A record of many open parts takes long to decode.
  @volatile private var decoded = Option.empty[Decoded]

  /** Returns the record as stored in its file. */
  def stored(seq: Long): Option[StoredRecord] = store.read(seq).map { bytes =>
    val digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes))
    decoded
      .filter(_.digest == digest)
      .fold {
        val record = decode(seq, bytes)
        decoded = Some(Decoded(digest, record))
        record
      }(_.record)
  }

  private def decode(seq: Long, bytes: Array[Byte]): StoredRecord =
    RecordCodec.read(bytes, published) match {
      case Right(record)                     => record
      case Left(RecordCodec.Torn(why))       => throw torn(seq, why)
      case Left(RecordCodec.Elsewhere(why))  => throw Errors.recordElsewhere(store.describe(seq), why)
      case Left(RecordCodec.TooNew(version)) =>
        throw Errors.recordTooNew(store.describe(seq), version, RecordCodec.Version)
    }

  /** Returns the record with its state. Returns `Gone` if the record or its base is missing. */
  def whole(seq: Long): Either[Gone, LogRecord] = stored(seq).toRight(Gone(seq)).flatMap(whole)

  def whole(record: StoredRecord): Either[Gone, LogRecord] = resting(record, Nil)

  /** Returns this record if it was read last, so that the next record can be based on its state. */
  def lastRead(seq: Long): Option[Resting] = known.filter(_.seq == seq)

  /** Follows the chain back to a whole record, or to a record with a cached state. */
  @tailrec
  private def resting(record: StoredRecord, behind: List[StoredRecord.Delta]): Either[Gone, LogRecord] =
    record match {
      case StoredRecord.Whole(whole, checksum, bytes) =>
        val base = Resting(whole.seq, checksum, whole.state, LogRules.Chain(whole.seq, bytes))
        known = Some(base)
        Right(if (behind.isEmpty) whole else forward(base, behind))
      case delta: StoredRecord.Delta =>
        val before = delta.decision.seq - 1
        known.filter(_.is(before, delta.base.checksum)) match {
          case Some(base) => Right(forward(base, delta :: behind))
          case None       =>
            stored(before) match {
              case None       => Left(Gone(before))
              case Some(base) => resting(refuseOther(delta, base), delta :: behind)
            }
        }
    }

  private def forward(from: Resting, deltas: List[StoredRecord.Delta]): LogRecord = {
    val last = deltas.last
    StoredRecord.Delta.last(from.state, deltas) match {
      case Right(record) =>
        val chain = deltas.foldLeft(from.chain)((chain, delta) => chain.longer(delta.sizeBytes))
        known = Some(Resting(record.seq, last.checksum, record.state, chain))
        record
      case Left(why) => throw torn(last.decision.seq, s"its base records are inconsistent: $why")
    }
  }

  /** Rejects a base other than the record for which the difference was written. */
  private def refuseOther(delta: StoredRecord.Delta, base: StoredRecord): StoredRecord =
    if (base.checksum == delta.base.checksum && restOn(base) == delta.base.whole) base
    else
      throw torn(
        delta.decision.seq,
        s"its base, record ${delta.decision.seq - 1}, is a different record now"
      )

  def torn(seq: Long, why: String): Throwable = Errors.recordTorn(store.describe(seq), why)
}

private[log] object RecordChain {

  /** A required record is missing. */
  final case class Gone(seq: Long) {

    /** Returns the problem of the newest record, which depends on this record. */
    def whyTorn(newest: Long): String =
      if (seq == newest) "the directory lists the record, but the file is missing"
      else s"its base, record $seq, is missing"
  }

  /** Returns the place of the whole base record, or of the record itself if whole. */
  def restOn(record: StoredRecord): Long = record match {
    case StoredRecord.Whole(whole, _, _) => whole.seq
    case delta: StoredRecord.Delta       => delta.base.whole
  }

  /** A decoded record, with the digest of its file. */
  private final case class Decoded(digest: ByteBuffer, record: StoredRecord)

  /** A record on which the next record can be based.
    *
    * @param state as stored, without the effect of a later call-off
    * @param chain the whole record below, and the differences up to this record
    */
  final case class Resting(seq: Long, checksum: String, state: SinkState, chain: LogRules.Chain) {
    def is(seq: Long, checksum: String): Boolean = this.seq == seq && this.checksum == checksum
  }
}
