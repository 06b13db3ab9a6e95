// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import com.fasterxml.jackson.databind.JsonNode

/** An object of user code in a Python process of its own. The process starts with the first call, and again
  * after its end. Used by one thread at a time.
  *
  * @param name    the class of the object, for messages
  * @param pickled as in [[PythonProcess.load]]
  */
private[stoplog] final class OwnPython(name: String, pickled: String, command: PythonCommand)
    extends AutoCloseable {
  private var loaded = Option.empty[(PythonProcess, PythonObject)]

  /** Errors: those of [[PythonProcess.load]] and of a call.
    *
    * @param where the epoch or the record of the call as a clause, for messages
    */
  def call(method: String, where: String = "")(arguments: Any*): JsonNode = {
    val (_, user) = loaded.filter(_._1.isAlive).getOrElse(start())
    user.call(method, where)(arguments: _*)
  }

  /** Calls the method `close` of the object, if there is one, and ends the process. */
  override def close(): Unit = {
    val left = loaded
    loaded = None
    left.foreach { case (process, user) =>
      try user.drop()
      finally process.close()
    }
  }

  private def start(): (PythonProcess, PythonObject) = {
    loaded.foreach(_._1.close())
    val process = PythonProcess.start(command)
    val made    =
      try process -> process.load(name, pickled)
      catch {
        case e: Throwable =>
          process.close()
          throw e
      }
    loaded = Some(made)
    made
  }
}
