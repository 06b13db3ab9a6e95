// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import com.fasterxml.jackson.databind.JsonNode

/** Objects of user code for tasks of this JVM: each for one task at a time, in a process that the next task
  * uses again. A process without a task ends after ten seconds.
  */
private[stoplog] object PythonPool {
  private val idle = new ConcurrentHashMap[(String, PythonCommand), ConcurrentLinkedQueue[Slot]]()

  /** @param name    the class of the object, for messages
    * @param pickled as in [[PythonProcess.load]]
    */
  def borrow(name: String, pickled: String, command: PythonCommand): Borrowed = {
    val queue = idle.computeIfAbsent(pickled -> command, _ => new ConcurrentLinkedQueue[Slot]())
    val slot  = Option(queue.poll()).getOrElse(new Slot(name, pickled, command))
    slot.shared.enter()
    new Borrowed(slot, queue)
  }

  /** An object of user code until [[close]]. Used by one thread. */
  final class Borrowed private[PythonPool] (slot: Slot, queue: ConcurrentLinkedQueue[Slot])
      extends AutoCloseable {

    /** Errors: those of a call and of [[PythonProcess.load]]. */
    def call(method: String, where: String)(arguments: Any*): JsonNode =
      slot.made().call(method, where)(arguments: _*)

    override def close(): Unit = {
      slot.shared.leave(SharedPython.Leaving.Keep)
      queue.add(slot): Unit
    }
  }

  private[PythonPool] final class Slot(name: String, pickled: String, command: PythonCommand) {
    val shared         = new SharedPython(() => PythonProcess.start(command), IdleMillis)
    private var loaded = Option.empty[PythonObject]

    def made(): PythonObject = loaded.filter(_.isAlive).getOrElse {
      val user = shared.process().load(name, pickled)
      loaded = Some(user)
      user
    }
  }

  private final val IdleMillis = 10000L
}
