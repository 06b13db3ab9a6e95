// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.commit.RepeatErrors
import stoplog.error.{
  Causes, ErrorMaker, Errors, RequestErrors, RowErrors, StartErrors, StoplogArgumentException,
  StoplogException
}

/** The errors of the write-ahead sink, by name. */
private[wal] object WriteAheadErrors extends ErrorMaker {

  /** @param word     the option value that requires the jar
    * @param artifact the jar's Maven coordinates
    */
  def jarMissing(word: String, artifact: String, cause: Throwable): StoplogArgumentException =
    Errors.jarMissing(s"The write-ahead sink with $word", artifact, "its classes are in this jar", cause)

  /** @param notesAt the place of the notes */
  def repeats(log: LogPlace, notesAt: String, query: String): RepeatErrors = new RepeatErrors {
    override def ahead(last: Long, batch: Long): Throwable =
      epochAhead(log, notesAt, query, batch, s"micro-batch $last")

    override def plannedAnew(batch: Long): Throwable =
      epochAhead(log, notesAt, query, batch, s"another micro-batch $batch, with other chunks")
  }

  /** @param noted the micro-batch recorded in the notes */
  def epochAhead(
      log: LogPlace,
      notesAt: String,
      query: String,
      epoch: Long,
      noted: String
  ): StoplogException = StartErrors.ahead(
    s"The sink ${log.sinkId} with its log in ${log.location}",
    s"$noted, according to $notesAt",
    s"with micro-batch $epoch of the log",
    "Nothing of the micro-batch was sent, because rows would be sent twice, or omitted",
    ways("STOPLOG_EPOCH_AHEAD", "stoplog-wal", "query" -> query, "notes" -> notesAt)
  )

  def notSent(target: String, chunk: Chunk, cause: Throwable): StoplogException = {
    val epoch = chunk.epoch.fold("none, of a batch query")(_.toString)
    RequestErrors.failed(
      s"The ${chunk.rows} rows of chunk ${chunk.name} (epoch $epoch) could not be sent to $target",
      Causes.reason(cause),
      "The rows are safe in the sink's log, and some rows may have arrived. A restart first sends these rows again",
      cause
    )
  }

  /** @param recorded the place of the notes in the run that decided on the chunk
    * @param now    the place of the notes in this run
    */
  def notesMoved(log: LogPlace, chunk: String, recorded: String, now: String): StoplogException = moved(
    log,
    chunk,
    s"keeps its notes about sent chunks in $recorded, and the committer of this run keeps its notes in $now",
    "The committer cannot determine which chunks were sent, and would send rows twice or report rows as lost",
    "committer"
  )

  /** @param recorded the destination of the run that decided on the chunk
    * @param now    the destination of this run
    */
  def targetChanged(log: LogPlace, chunk: String, recorded: String, now: String): StoplogException = moved(
    log,
    chunk,
    s"decided to send the rows to $recorded, and this run sends to $now",
    "A micro-batch would be split between the two targets",
    "sender",
    s" Set targetMovedFrom to '$recorded' if the target itself has moved."
  )

  private def moved(
      log: LogPlace,
      chunk: String,
      difference: String,
      effect: String,
      setting: String,
      alternative: String = ""
  ): StoplogException = failure(
    "STOPLOG_WAL_TARGET_CHANGED",
    "sinkId"      -> log.sinkId,
    "log"         -> log.location,
    "chunk"       -> chunk,
    "difference"  -> difference,
    "effect"      -> effect,
    "setting"     -> setting,
    "alternative" -> alternative
  )

  /** The loss of a micro-batch.
    *
    * @param rows the number of rows in the lost chunks
    * @param sent the number of chunks of the micro-batch that were sent
    */
  final case class Lost(chunks: Int, rows: Long, sent: Int)

  /** @param first the first lost chunk */
  def chunkLost(log: LogPlace, first: ChunkToken, count: Lost, notesAt: String): StoplogException = {
    val batch = first.epoch.fold("a batch query")(epoch => s"micro-batch $epoch")
    val file  = s"${log.location}/${first.file.token.takeWhile(_ != '|')}"
    RowErrors.rowsLost(
      batch,
      s"The log of sink ${log.sinkId} has rows of $batch. Of the chunks with these rows, ${count.sent} were sent, " +
        s"and ${count.chunks} with ${count.rows} rows are missing, such as $file. No note in $notesAt records the " +
        "missing chunks as sent: another program deleted the files, or the notes",
      "Restore the files from a copy of the log and restart the query. Otherwise, check which of these rows the " +
        "target has",
      "onLostPart"
    )
  }
}
