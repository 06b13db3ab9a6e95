// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import scala.collection.mutable

import com.fasterxml.jackson.databind.JsonNode

/** Objects of user code for tasks of this JVM: each for one task at a time, in a process that the next task
  * uses again. A process without a task ends after ten seconds.
  */
private[stoplog] object PythonPool {
  private val idle = mutable.Map.empty[Key, List[OwnPython]]

  /** @param name    the class of the object, for messages
    * @param pickled as in [[PythonProcess.load]]
    */
  def borrow(name: String, pickled: String, command: PythonCommand): Borrowed = {
    val key  = Key(pickled, command)
    val user =
      take(key).getOrElse(new OwnPython(name, pickled, SharedPython.of(command, IdleMillis)))
    user.hold()
    new Borrowed(user, key)
  }

  /** An object of user code until [[close]]. Used by one thread. */
  final class Borrowed private[PythonPool] (user: OwnPython, key: Key) extends AutoCloseable {

    /** Errors: those of a call and of [[PythonProcess.load]]. */
    def call(method: String, where: String)(arguments: Any*): JsonNode =
      user.call(method, where)(arguments: _*)

    override def close(): Unit = {
      user.release(SharedPython.Leaving.Keep)
      giveBack(key, user)
    }
  }

  /** The number of objects without a task. */
  private[python] def size: Int = synchronized {
    forgetEnded()
    idle.values.map(_.size).sum
  }

  private def take(key: Key): Option[OwnPython] = synchronized {
    forgetEnded()
    idle.remove(key).map { users =>
      if (users.tail.nonEmpty) idle(key) = users.tail
      users.head
    }
  }

  private def giveBack(key: Key, user: OwnPython): Unit = synchronized {
    forgetEnded()
    if (user.isAlive) idle(key) = user :: idle.getOrElse(key, Nil)
  }

  private def forgetEnded(): Unit =
    idle
      .mapValuesInPlace((_, users) => users.filter(_.isAlive))
      .filterInPlace((_, users) => users.nonEmpty): Unit

  private[PythonPool] final case class Key(pickled: String, command: PythonCommand)

  private final val IdleMillis = 10000L
}
