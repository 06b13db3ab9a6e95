// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of a start whose checkpoint and log do not fit. Each says what the query would write again. */
private[stoplog] object StartErrors extends ErrorMaker {

  /** @param again what the query would write again */
  def foreignQuery(
      path: String,
      sinkId: String,
      owner: String,
      query: String,
      again: String
  ): StoplogException = failure(
    "STOPLOG_FOREIGN_QUERY",
    "path"   -> path,
    "sinkId" -> sinkId,
    "owner"  -> owner,
    "query"  -> query,
    "again"  -> again
  )

  /** The log is behind the checkpoint.
    *
    * @param lastEpoch of the log; `None` if it has no epoch
    */
  def epochGap(path: String, sinkId: String, lastEpoch: Option[Long], batch: Long): StoplogException = {
    val next = lastEpoch.fold(0L)(_ + 1)
    failure(
      "STOPLOG_EPOCH_GAP",
      "path"      -> path,
      "sinkId"    -> sinkId,
      "lastEpoch" -> lastEpoch.fold("none")(_.toString),
      "batch"     -> batch,
      "lacks"     -> (if (next == batch - 1) s"epoch $next" else s"epochs $next to ${batch - 1}"),
      "next"      -> next
    )
  }

  /** The log is ahead of the checkpoint.
    *
    * @param again what the query would write again
    */
  def epochAhead(
      path: String,
      sinkId: String,
      lastEpoch: Long,
      batch: Long,
      again: String
  ): StoplogException = epochAhead(path, sinkId, lastEpoch, batch, s"at batch $batch", again)

  /** The checkpoint says other offsets of the newest epoch than it did when that was committed. */
  def epochPlannedAnew(path: String, sinkId: String, batch: Long, again: String): StoplogException =
    epochAhead(
      path,
      sinkId,
      batch,
      batch,
      s"with a batch $batch that it has planned anew, with other offsets",
      again
    )

  private def epochAhead(
      path: String,
      sinkId: String,
      lastEpoch: Long,
      batch: Long,
      starts: String,
      again: String
  ) = failure(
    "STOPLOG_EPOCH_AHEAD",
    "path"      -> path,
    "sinkId"    -> sinkId,
    "lastEpoch" -> lastEpoch,
    "starts"    -> starts,
    "batch"     -> batch,
    "before"    -> (batch - 1),
    "again"     -> again
  )

  /** The checkpoint goes on behind another batch than the log.
    *
    * @param again what the log has of that batch
    */
  def epochReplanned(path: String, sinkId: String, lastEpoch: Long, again: String): StoplogException =
    failure(
      "STOPLOG_EPOCH_REPLANNED",
      "path"      -> path,
      "sinkId"    -> sinkId,
      "lastEpoch" -> lastEpoch,
      "batch"     -> (lastEpoch + 1),
      "before"    -> (lastEpoch - 1),
      "again"     -> again
    )
}
