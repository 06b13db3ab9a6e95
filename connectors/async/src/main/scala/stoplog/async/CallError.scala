// SPDX-License-Identifier: Apache-2.0
package stoplog.async

/** Why a row has no result.
  *
  * @param reason `timeout`, `answer` (a batch was answered with too many or too few answers) or `error`
  * @param errorType the class of the exception
  * @param message of the exception
  * @param attempts how often the call was made
  */
final case class CallError(reason: String, errorType: String, message: String, attempts: Int)

private[async] object CallErrors {

  def of(failed: Outcome.Failed): CallError = {
    val reason = failed.error match {
      case _: CallTimeout               => "timeout"
      case e if Caller.isWrongAnswer(e) => "answer"
      case _                            => "error"
    }
    val message = Option(failed.error.getMessage).getOrElse("")
    CallError(reason, failed.error.getClass.getName, message, failed.attempts)
  }
}
