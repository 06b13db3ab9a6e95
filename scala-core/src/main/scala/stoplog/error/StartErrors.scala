// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of a start whose checkpoint and log do not match, with the rows to be repeated, if any. */
private[stoplog] object StartErrors extends ErrorMaker {

  /** @param again the epochs and rows that the query would write again
    */
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

  /** The log is older than the checkpoint.
    *
    * @param lastEpoch the last epoch of the log; `None` if the log has no epoch
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

  /** The log is newer than the checkpoint.
    *
    * @param again the epochs and rows that the query would write again
    */
  def epochAhead(
      path: String,
      sinkId: String,
      lastEpoch: Long,
      batch: Long,
      again: String
  ): StoplogException = epochAhead(path, sinkId, lastEpoch, batch, s"at batch $batch", again)

  /** The checkpoint's offsets of the newest epoch differ from the offsets at its commit. */
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

  /** The newest batch of the checkpoint differs from the log's.
    *
    * @param again the rows of this batch in the log
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
