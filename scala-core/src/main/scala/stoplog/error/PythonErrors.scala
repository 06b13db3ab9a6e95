// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import org.apache.spark.SparkThrowable

/** The errors of Python processes, and of user code in these processes. */
private[stoplog] object PythonErrors extends ErrorMaker {

  /** Returns whether user code in Python has failed, or cannot be called. */
  def isOfUserCode(e: Throwable): Boolean = e match {
    case known: SparkThrowable => Option(known.getCondition).exists(_.startsWith("STOPLOG_PYTHON_"))
    case _                     => false
  }

  /** @param owner the class of the object, as the user knows the class
    * @param where the epoch or the partition as a clause such as `in epoch 7`; empty if unknown
    */
  final case class Call(owner: String, method: String, where: String = "") {
    private[PythonErrors] def parameters: Seq[(String, Any)] =
      Seq("owner" -> owner, "method" -> method, "where" -> (if (where.isEmpty) "" else s" $where"))
  }

  /** @param summary   the exception as one line
    * @param traceback the frames of user code; empty if the exception is from stoplog
    */
  def failed(call: Call, summary: String, traceback: String): StoplogException = failure(
    "STOPLOG_PYTHON_FAILED",
    call.parameters ++ Seq("error" -> reason(summary), "traceback" -> lines(traceback)): _*
  )

  def timeout(call: Call, millis: Long): StoplogException =
    failure("STOPLOG_PYTHON_TIMEOUT", call.parameters :+ "seconds" -> millis / 1000: _*)

  /** @param status the exit status of the process */
  def ended(call: Call, status: String): StoplogException =
    failure("STOPLOG_PYTHON_ENDED", call.parameters :+ "status" -> status: _*)

  /** @param why a clause whose subject is Python: `ended with status 1` */
  def start(executable: String, why: String): StoplogException =
    failure(
      "STOPLOG_PYTHON_START",
      "executable" -> executable,
      "why"        -> reason(s"Python $why"),
      "wanted"     -> "a Python with pyspark"
    )

  /** @param pickled the version that made the pickle
    * @param found   the version of the executable
    */
  def version(executable: String, pickled: String, found: String): StoplogArgumentException = argument(
    "STOPLOG_PYTHON_START",
    "executable" -> executable,
    "why" -> (s"the code was pickled by Python $pickled, and this Python is $found. A pickle is valid for a " +
      "single version"),
    "wanted" -> s"a Python $pickled with pyspark"
  )

  def load(owner: String, executable: String, summary: String, traceback: String): StoplogArgumentException =
    argument(
      "STOPLOG_PYTHON_LOAD",
      "owner"      -> owner,
      "executable" -> executable,
      "error"      -> reason(summary),
      "traceback"  -> lines(traceback)
    )

  /** @param setting the setting that forbids Python on the driver */
  def forbidden(owner: String, setting: String): StoplogArgumentException =
    argument("STOPLOG_PYTHON_FORBIDDEN", "owner" -> owner, "setting" -> setting)

  private def lines(traceback: String): String = if (traceback.isEmpty) "" else "\n" + traceback.trim
}
