// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of requests to another system, such as a database or a broker, for all connectors. */
private[stoplog] object RequestErrors extends ErrorMaker {

  /** The system cannot be reached at the start. An argument error, because an option is usually wrong:
    * PySpark shows argument errors without a Java stack trace.
    *
    * @param system as the subject of a sentence
    * @param check  the settings to check
    */
  def unreachable(system: String, why: String, check: String, cause: Throwable): StoplogArgumentException =
    argument("STOPLOG_UNREACHABLE", cause, "system" -> system, "why" -> reason(why), "check" -> check)

  /** @param what        the failed request, as a clause
    * @param effect      the effect on the rows, as a sentence without the full stop
    * @param alternative to a correction of the cause, such as a longer time; empty if there is none
    */
  def failed(
      what: String,
      why: String,
      effect: String,
      cause: Throwable,
      alternative: String = ""
  ): StoplogException = failure(
    "STOPLOG_REQUEST_FAILED",
    cause,
    "what"        -> what,
    "why"         -> reason(why),
    "effect"      -> effect,
    "alternative" -> (if (alternative.isEmpty) "" else s", or $alternative")
  )

  /** @param what     a clause about the unknown outcome
    * @param facts    a sentence without the full stop
    * @param evidence the object that determines the outcome
    */
  def unknownOutcome(
      what: String,
      why: String,
      facts: String,
      system: String,
      evidence: String,
      cause: Throwable
  ): StoplogException = failure(
    "STOPLOG_UNKNOWN_OUTCOME",
    cause,
    "what"     -> what,
    "why"      -> reason(why),
    "facts"    -> facts,
    "system"   -> system,
    "evidence" -> evidence
  )

  /** @param how         the way to create the table by hand
    * @param alternative another way out, as an imperative
    */
  def ownTable(
      table: String,
      why: String,
      how: String,
      alternative: String,
      cause: Throwable
  ): StoplogException = failure(
    "STOPLOG_OWN_TABLE",
    cause,
    "table"       -> table,
    "why"         -> reason(why),
    "how"         -> how,
    "alternative" -> alternative
  )
}
