// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.RunId

/** Encodes the records of one run in order, either whole or as the difference from the preceding record. */
private[log] final class RecordWriter(rules: LogRules.DeltaRule) {
  import RecordWriter._

  private var last = Option.empty[Written]

  // The places of whole records of this run, ascending.
  private var wholes = Vector.empty[Long]

  /** Encodes the next record. No record is based on the result before [[decided]]. */
  def write(record: LogRecord): Written = delta(record).fold(_ => whole(record), identity)

  /** Called when the record is in the log. The next record may be based on this record. */
  def decided(written: Written): Unit = {
    last = Some(written)
    if (written.chain.deltas == 0) wholes :+= written.record.seq
  }

  /** Returns the whole base record of a record of the same run. `None` for a record of another run. */
  def wholeOf(seq: Long): Option[Long] = {
    wholes = wholes.drop(wholes.lastIndexWhere(_ <= seq)) // older records are never requested again
    wholes.headOption.filter(_ <= seq)
  }

  private def whole(record: LogRecord): Written = {
    val encoded = RecordCodec.encodeWhole(record)
    Written(
      record,
      encoded,
      LogRules.Chain(record.seq, encoded.bytes.length.toLong, deltas = 0, deltaBytes = 0)
    )
  }

  private def delta(record: LogRecord): Either[LogRules.FullRecordReason, Written] = for {
    before <- last.filter(isBefore(record.seq, record.run)).toRight(LogRules.FullRecordReason.FirstOfRun)
    chain = before.chain
    _     <- rules.before(record.kind, chain).toLeft(())
    delta <- StateDelta
      .between(before.record.state, record.state)
      .toRight(LogRules.FullRecordReason.NoDifference)
    _ <- rules.onEntries(delta.lists.size, ListDeltas.entries(record.state)).toLeft(())
    base    = Base(chain.whole, before.encoded.checksum)
    encoded = RecordCodec.encodeDelta(record, base, delta)
    bytes   = encoded.bytes.length.toLong
    _ <- rules.onBytes(bytes, chain).toLeft(())
  } yield Written(
    record,
    encoded,
    chain.copy(deltas = chain.deltas + 1, deltaBytes = chain.deltaBytes + bytes)
  )

  private def isBefore(seq: Long, run: RunId)(before: Written): Boolean =
    before.record.seq == seq - 1 && before.record.run == run
}

private[log] object RecordWriter {

  /** A record, its file, and its chain of base records. */
  final case class Written(record: LogRecord, encoded: RecordCodec.Encoded, chain: LogRules.Chain) {
    def bytes: Array[Byte] = encoded.bytes
  }
}
