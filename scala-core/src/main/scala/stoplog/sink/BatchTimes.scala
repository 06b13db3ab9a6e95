// SPDX-License-Identifier: Apache-2.0
package stoplog.sink

/** The times of a micro-batch, as Spark has written them into the checkpoint before it began: the same each time it is
  * repeated. Milliseconds since 1970-01-01T00:00:00Z.
  *
  * @param startedAtMillis when Spark planned it
  * @param watermarkMillis up to which time the query takes its rows to be complete; `None` in a query without
  *                        `withWatermark`, and until the first watermark, which the second batch with rows has
  */
final case class BatchTimes(startedAtMillis: Option[Long], watermarkMillis: Option[Long])

object BatchTimes {

  /** Of a batch query, and where the checkpoint cannot be read. */
  val unknown: BatchTimes = BatchTimes(None, None)
}
