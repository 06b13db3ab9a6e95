// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of rows that cannot be written, or are lost, for all sinks. */
private[stoplog] object RowErrors extends ErrorMaker {

  /** @param why         a clause: why the null cannot be written
    * @param alternative another way out, as an imperative; empty if there is none
    */
  def nullValue(column: String, why: String, alternative: String): StoplogException = failure(
    "STOPLOG_NULL_VALUE",
    "column"      -> column,
    "why"         -> reason(why),
    "alternative" -> appended(alternative)
  )

  /** @param target      a bucket, a table or a topic
    * @param why         a clause
    * @param effect      a sentence about the epoch; empty if nothing is known
    * @param alternative another way out, as an imperative; empty if there is none
    */
  def badRow(
      target: String,
      why: String,
      effect: String,
      alternative: String,
      cause: Throwable
  ): StoplogException = failure(
    "STOPLOG_BAD_ROW",
    cause,
    "target"      -> target,
    "why"         -> reason(why),
    "effect"      -> (if (effect.isEmpty) "" else s" $effect"),
    "alternative" -> appended(alternative)
  )

  /** Rows that the log counts, and that the target will never have.
    *
    * @param batch  a micro-batch or a batch query
    * @param why    a sentence without the full stop
    * @param check  the checks before rows are written again, as imperatives without the last full stop
    * @param option the option that continues without the rows
    */
  def rowsLost(batch: String, why: String, check: String, option: String): StoplogException =
    failure("STOPLOG_ROWS_LOST", "batch" -> batch, "why" -> reason(why), "check" -> check, "option" -> option)

  private def appended(alternative: String) = if (alternative.isEmpty) "" else s", or $alternative"
}
