// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Encodes the records of one run in order, either whole or as the difference from the preceding record. */
private[log] final class RecordWriter(rules: LogRules.DeltaRule) {
  import RecordWriter._
  import RecordChain.Resting

  private var last = Option.empty[Resting]

  // The places of whole records on which this run's records are based, ascending.
  private var wholes = Vector.empty[Long]

  /** Encodes the next record. No record is based on the result before [[decided]].
    *
    * @param before the preceding record as read by this run, the base of a claim. With a million open parts,
    *               a whole claim would have some hundred megabytes. Only a difference is such a base: the run
    *               of a whole record may have had `durability=process` (P-103)
    */
  def write(record: LogRecord, before: Option[Resting]): Written = {
    val read = before.filter(base => record.kind == RecordKind.Claim && base.chain.deltas > 0)
    val base = last.filter(_.seq == record.seq - 1).orElse(read)
    delta(record, base).fold(_ => whole(record), identity)
  }

  /** Called when the record is in the log. The next record may be based on this record. */
  def decided(written: Written): Unit = {
    val Resting(seq, _, _, chain) = written.resting
    last = Some(written.resting)
    if (chain.deltas == 0) wholes :+= seq else if (wholes.isEmpty) wholes = Vector(chain.whole)
  }

  /** Returns the whole base record of a record, if known without a read. */
  def wholeOf(seq: Long): Option[Long] = {
    wholes = wholes.drop(wholes.lastIndexWhere(_ <= seq)) // older records are never requested again
    wholes.headOption.filter(_ <= seq)
  }

  private def whole(record: LogRecord): Written = {
    val encoded = RecordCodec.encodeWhole(record)
    Written.of(record, encoded, LogRules.Chain(record.seq, encoded.bytes.length.toLong))
  }

  private def delta(
      record: LogRecord,
      base: Option[Resting]
  ): Either[LogRules.FullRecordReason, Written] = for {
    before <- base.toRight(LogRules.FullRecordReason.NoBase)
    chain = before.chain
    _     <- rules.before(record.kind, chain).toLeft(())
    delta <- StateDelta.between(before.state, record.state).toRight(LogRules.FullRecordReason.NoDifference)
    _     <- rules.onEntries(delta.lists.size, ListDeltas.entries(record.state)).toLeft(())
    encoded = RecordCodec.encodeDelta(record, Base(chain.whole, before.checksum), delta)
    bytes   = encoded.bytes.length.toLong
    _ <- rules.onBytes(bytes, chain).toLeft(())
  } yield Written.of(record, encoded, chain.longer(bytes))
}

private[log] object RecordWriter {

  /** An encoded record. */
  final case class Written(bytes: Array[Byte], resting: RecordChain.Resting)

  object Written {
    def of(record: LogRecord, encoded: RecordCodec.Encoded, chain: LogRules.Chain): Written =
      Written(encoded.bytes, RecordChain.Resting(record.seq, encoded.checksum, record.state, chain))
  }
}
