// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import stoplog.commit.EpochErrors
import stoplog.jdbc.client.{JdbcErrors, SinkAddress}
import stoplog.log.QueryEpoch

/** The errors of a rejected start, in database terms. */
private[jdbc] final class SinkEpochErrors(at: SinkAddress, query: String) extends EpochErrors {

  override def foreignQuery(owner: QueryEpoch, batch: Long): Throwable = {
    val again = owner.epoch match {
      case Some(last) if batch <= last =>
        s"Starting at batch $batch, it may write again all rows of the epochs up to $last"
      case _ => s"It starts at batch $batch, after all epochs of the sink"
    }
    JdbcErrors.foreignQuery(at, owner.queryId, query, again)
  }

  override def gap(last: Option[Long], batch: Long): Throwable =
    JdbcErrors.epochGap(at, last.fold("none")(_.toString), batch)

  override def ahead(last: Long, batch: Long): Throwable =
    JdbcErrors.epochAhead(at, last, s"at batch $batch", batch)

  override def plannedAnew(batch: Long): Throwable = JdbcErrors.epochAhead(
    at,
    batch,
    s"with a batch $batch that it has replanned with other offsets",
    batch
  )

  override def replanned(last: Long): Throwable = JdbcErrors.epochAhead(
    at,
    last,
    s"at batch ${last + 1} after another batch $last, which was replanned with other offsets",
    last
  )
}
