// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.Semaphore

/** Whose turn it is to touch the open parts: the running epoch's, or the driver's (I4).
  *
  * Not owned by a thread, because Spark may begin an epoch on one thread and abort it on another.
  */
trait Turn {
  def take(): Unit
  def tryTake(): Boolean
  def give(): Unit
}

object Turn {
  def semaphore(): Turn = new Turn {
    private val permit = new Semaphore(1)

    override def take(): Unit       = permit.acquireUninterruptibly()
    override def tryTake(): Boolean = permit.tryAcquire()
    override def give(): Unit       = permit.release()
  }
}
