// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import stoplog.error.{StoplogArgumentException, StoplogException}

/** Every error of this artifact with a name. */
object AsyncErrors {

  /** @param rows how many were asked for */
  def answer(rows: Int, answers: Int): StoplogException =
    new StoplogException("STOPLOG_ASYNC_ANSWER", Map("rows" -> rows.toString, "answers" -> answers.toString))

  /** @param attempts how often the call was made */
  def callFailed(attempts: Int, cause: Throwable): StoplogException = {
    val why =
      s"${cause.getClass.getName}: ${Option(cause.getMessage).getOrElse("no message").stripSuffix(".")}"
    new StoplogException(
      "STOPLOG_ASYNC_CALL_FAILED",
      Map("attempts" -> attempts.toString, "why" -> why),
      Some(cause)
    )
  }

  def setting(name: String, value: Any, wanted: String): StoplogArgumentException =
    new StoplogArgumentException(
      "STOPLOG_ASYNC_SETTING",
      Map("name" -> name, "value" -> value.toString, "wanted" -> wanted)
    )

  private[async] def require(condition: => Boolean, name: String, value: Any, wanted: String): Unit =
    if (!condition) throw setting(name, value, wanted)
}
