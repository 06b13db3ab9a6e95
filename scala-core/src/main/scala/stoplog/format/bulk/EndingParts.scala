// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.{OnBadRow, PartBuffer, PartEncoder, PartFormat}
import stoplog.part.Spooled
import stoplog.storage.SpoolFiles

/** Writes the ends of parts that were left open with rows beside them, each in the format in which it was begun,
  * whatever is set now. For the driver, which begins none.
  *
  * @param running how the query names its own bulk format, if it has one
  */
final class EndingParts(sides: SpoolFiles, running: Option[String]) extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    throw new UnsupportedOperationException(s"$name is to be begun where parts are ended")

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] = {
    val begunAs = BulkSink.of(new EarlierRows(beside, sides).header.format, running)
    new BulkParts(begunAs, identity, sides, OnBadRow.Fail).resume(name, end, beside)
  }
}
