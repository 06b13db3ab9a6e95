// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import stoplog.part.{Open, RunId}

/** A part as it comes back from a record. */
object RecordRoundTrip {
  def apply(part: Open): Open = {
    val state  = SinkState(QueryEpoch("query", None), Vector(part), 0, Map.empty)
    val record =
      LogRecord(0, RecordKind.Claim, RunId("11111111-1111-1111-1111-111111111111"), 0, Vector.empty, state)
    RecordCodec.decode(RecordCodec.encode(record)).toOption.get.state.open.head
  }
}
