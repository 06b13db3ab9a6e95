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
  ): StoplogException = foreignQuery(
    s"Sink $sinkId under $path",
    "the directory",
    owner,
    query,
    again,
    ways("STOPLOG_FOREIGN_QUERY", Core, "path" -> path, "sinkId" -> sinkId, "owner" -> owner)
  )

  /** The log is older than the checkpoint.
    *
    * @param lastEpoch the last epoch of the log; `None` if the log has no epoch
    */
  def epochGap(path: String, sinkId: String, lastEpoch: Option[Long], batch: Long): StoplogException = {
    val next  = lastEpoch.fold(0L)(_ + 1)
    val lacks = if (next == batch - 1) s"epoch $next" else s"epochs $next to ${batch - 1}"
    val where = Seq("path" -> path, "sinkId" -> sinkId, "lacks" -> lacks, "next" -> next)
    gap(
      s"The log of sink $sinkId under $path",
      lastEpoch.fold("none")(_.toString),
      batch,
      "The log is older than the checkpoint. Usual causes: path has changed, the directory was moved, or the " +
        "directory was deleted. Otherwise the log was replaced or restored from an older copy",
      lacks,
      "the newer log, or set path to its directory",
      ways("STOPLOG_EPOCH_GAP", Core, where: _*)
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
      s"with a batch $batch that it has replanned with other offsets",
      again
    )

  private def epochAhead(
      path: String,
      sinkId: String,
      lastEpoch: Long,
      batch: Long,
      starts: String,
      again: String
  ): StoplogException = {
    val where = Seq("path" -> path, "sinkId" -> sinkId, "batch" -> batch, "before" -> (batch - 1))
    ahead(
      s"The log of sink $sinkId under $path",
      s"epoch $lastEpoch",
      starts,
      s"Spark would write again: $again",
      ways("STOPLOG_EPOCH_AHEAD", Core, where: _*)
    )
  }

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

  // The same errors of any sink, also of connectors.

  /** @param what      a sink, as the subject of a sentence
    * @param committed the epoch that the sink has committed
    * @param starts    the start of Spark, such as `at batch 3`
    * @param effect    a sentence without the full stop
    */
  def ahead(
      what: String,
      committed: String,
      starts: String,
      effect: String,
      ways: (String, Any)
  ): StoplogException = failure(
    "STOPLOG_EPOCH_AHEAD",
    "what"      -> what,
    "committed" -> committed,
    "starts"    -> starts,
    "effect"    -> effect,
    ways
  )

  /** @param what  a sink, as the subject of a sentence
    * @param cause a sentence without the full stop
    * @param lacks the missing epochs
    * @param newer the object to restore
    */
  def gap(
      what: String,
      lastEpoch: String,
      batch: Long,
      cause: String,
      lacks: String,
      newer: String,
      ways: (String, Any)
  ): StoplogException = failure(
    "STOPLOG_EPOCH_GAP",
    "what"      -> what,
    "lastEpoch" -> lastEpoch,
    "batch"     -> batch,
    "cause"     -> cause,
    "lacks"     -> lacks,
    "newer"     -> newer,
    ways
  )

  /** @param what   a sink, as the subject of a sentence
    * @param target the written table or directory
    * @param again  the epochs and rows that the query would write again
    */
  def foreignQuery(
      what: String,
      target: String,
      owner: String,
      query: String,
      again: String,
      ways: (String, Any)
  ): StoplogException = failure(
    "STOPLOG_FOREIGN_QUERY",
    "what"   -> what,
    "target" -> target,
    "owner"  -> owner,
    "query"  -> query,
    "again"  -> again,
    ways
  )

  // The kind of all sinks with a log of the core, in the file of [[WaysOut]].
  private val Core = "stoplog"
}
