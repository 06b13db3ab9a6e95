// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.Semaphore

/** Keeps the running epoch and the driver itself from touching the open parts at the same time (I4).
  *
  * Not owned by a thread, because Spark may begin an epoch on one thread and abort it on another.
  */
trait DriverLock {
  def acquire(): Unit
  def tryAcquire(): Boolean
  def release(): Unit
}

object DriverLock {
  def semaphore(): DriverLock = new DriverLock {
    private val permit = new Semaphore(1)

    override def acquire(): Unit       = permit.acquireUninterruptibly()
    override def tryAcquire(): Boolean = permit.tryAcquire()
    override def release(): Unit       = permit.release()
  }
}
