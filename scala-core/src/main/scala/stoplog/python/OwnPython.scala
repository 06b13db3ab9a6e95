// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import com.fasterxml.jackson.databind.JsonNode

/** An object of user code in a Python process, which other objects may share. The first call loads the
  * object, and so does the first call after the end of the process. Thread-safe.
  *
  * @param name    the class of the object, for messages
  * @param pickled as in [[PythonProcess.load]]
  */
private[stoplog] final class OwnPython(name: String, pickled: String, shared: SharedPython)
    extends AutoCloseable {
  private var loaded = Option.empty[PythonObject]
  private var isHeld = false

  /** Starts the process before the first call, to save time. */
  def warm(): Unit = shared.warm()

  /** Keeps the process until [[release]] or [[end]]. A call holds the process, too. */
  def hold(): Unit = synchronized {
    if (!isHeld) shared.enter()
    isHeld = true
  }

  /** Errors: those of [[PythonProcess.load]] and of a call.
    *
    * @param where the epoch or the record of the call as a clause, for messages
    */
  def call(method: String, where: String = "")(arguments: Any*): JsonNode =
    living().call(method, where)(arguments: _*)

  /** Whether a call would find the process. */
  def isAlive: Boolean = shared.isAlive

  /** Keeps the object for a later call, which finds the object if the process lives until then. */
  def release(leaving: SharedPython.Leaving): Unit = synchronized {
    if (isHeld) shared.leave(leaving)
    isHeld = false
  }

  /** Calls the method `close` of the object, if there is one, and releases the process. */
  def end(leaving: SharedPython.Leaving): Unit = synchronized {
    val left = loaded
    loaded = None
    try left.foreach(_.drop())
    finally release(leaving)
  }

  override def close(): Unit = end(SharedPython.Leaving.End)

  private def living(): PythonObject = synchronized {
    hold()
    loaded.filter(_.isAlive).getOrElse {
      val made = shared.process().load(name, pickled)
      loaded = Some(made)
      made
    }
  }
}

private[stoplog] object OwnPython {

  /** Creates an object in a process of its own. */
  def alone(name: String, pickled: String, command: PythonCommand): OwnPython =
    new OwnPython(name, pickled, SharedPython.of(command, idleMillis = 0))
}
