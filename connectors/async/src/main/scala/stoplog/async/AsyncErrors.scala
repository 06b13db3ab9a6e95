// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import stoplog.error.{ErrorMaker, Errors, StoplogArgumentException, StoplogException}

/** The named errors of this artifact. */
private[stoplog] object AsyncErrors extends ErrorMaker {

  /** @param rows the number of requested rows */
  def answer(rows: Int, answers: Int): StoplogException =
    failure("STOPLOG_ASYNC_ANSWER", "rows" -> rows, "answers" -> answers)

  /** @param attempts the number of attempts */
  def callFailed(attempts: Int, cause: Throwable): StoplogException = {
    val why =
      s"${cause.getClass.getName}: ${Option(cause.getMessage).getOrElse("no message").stripSuffix(".")}"
    failure("STOPLOG_ASYNC_CALL_FAILED", cause, "attempts" -> attempts, "why" -> why)
  }

  def setting(name: String, value: Any, wanted: String): StoplogArgumentException =
    Errors.invalidOptions(Seq(s"AsyncMap cannot be used with $name = $value. Set $name to $wanted."))

  private[async] def require(condition: => Boolean, name: String, value: Any, wanted: String): Unit =
    if (!condition) throw setting(name, value, wanted)
}
