// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.error.{Causes, ErrorMaker, StoplogArgumentException, StoplogException}

/** The errors of the write-ahead sink, by name. */
private[wal] object WriteAheadErrors extends ErrorMaker {

  /** @param word     that asks for it
    * @param artifact as a build names it
    */
  def jarMissing(word: String, artifact: String, cause: Throwable): StoplogArgumentException =
    argument("STOPLOG_WAL_JAR_MISSING", cause, "word" -> word, "artifact" -> artifact)

  /** @param log where the sink's log is */
  def epochAhead(sinkId: String, log: String, epoch: Long): StoplogException =
    failure("STOPLOG_WAL_EPOCH_AHEAD", "sinkId" -> sinkId, "log" -> log, "epoch" -> epoch)

  def notSent(target: String, chunk: Chunk, cause: Throwable): StoplogException = failure(
    "STOPLOG_WAL_NOT_SENT",
    cause,
    "rows"   -> chunk.rows,
    "chunk"  -> chunk.name,
    "epoch"  -> chunk.epoch.fold("none, of a batch query")(_.toString),
    "target" -> target,
    "why"    -> reason(Causes.reason(cause))
  )
}
