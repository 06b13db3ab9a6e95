package stoplog.wal

import stoplog.error.{Causes, StoplogException}

/** The errors of the write-ahead sink, by name. */
private[wal] object WriteAheadErrors {

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
