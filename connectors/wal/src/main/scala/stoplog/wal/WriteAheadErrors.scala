// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.error.{Causes, StoplogArgumentException, StoplogException}

/** The errors of the write-ahead sink, by name. */
private[wal] object WriteAheadErrors {

  /** @param word     that asks for it
    * @param artifact as a build names it
    */
  def jarMissing(word: String, artifact: String, cause: Throwable): StoplogArgumentException =
    new StoplogArgumentException(
      "STOPLOG_WAL_JAR_MISSING",
      Map("word" -> word, "artifact" -> artifact),
      Option(cause)
    )

  def notSent(target: String, chunk: Chunk, cause: Throwable): StoplogException = new StoplogException(
    "STOPLOG_WAL_NOT_SENT",
    Map(
      "rows"   -> chunk.rows.toString,
      "chunk"  -> chunk.name,
      "epoch"  -> chunk.epoch.fold("none, of a batch query")(_.toString),
      "target" -> target,
      "why"    -> Causes.reason(cause).stripSuffix(".")
    ),
    Some(cause)
  )
}
