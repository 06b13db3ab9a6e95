// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.RunId

/** Encodes the records of one run, one after the other: whole, or as the difference from the one before it. */
private[log] final class RecordWriter(rules: LogRules.DeltaRule) {
  import RecordWriter._

  private var last = Option.empty[Written]

  // The places of whole records of this run, ascending.
  private var wholes = Vector.empty[Long]

  /** The record as it is to be written now. Nothing rests on it before it is [[decided]]. */
  def write(record: LogRecord): Written = delta(record).fold(_ => whole(record), identity)

  /** The record is in the log: the next one may rest on it. */
  def decided(written: Written): Unit = {
    last = Some(written)
    if (written.chain.deltas == 0) wholes :+= written.record.seq
  }

  /** The whole record on which this one of the same run rests; `None` for a record of another run. */
  def wholeOf(seq: Long): Option[Long] = {
    wholes = wholes.drop(wholes.lastIndexWhere(_ <= seq)) // it is never asked again for an older one
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

  /** A record, its file, and what it rests on with all that does so already. */
  final case class Written(record: LogRecord, encoded: RecordCodec.Encoded, chain: LogRules.Chain) {
    def bytes: Array[Byte] = encoded.bytes
  }
}
