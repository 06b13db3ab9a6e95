// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.Faults

/** The world as it is, new for each driver and each run of a tool. */
private[stoplog] object RealTools {

  def of(clock: Clock, faults: Faults): SinkDriver.Tools = SinkDriver.Tools(
    clock,
    faults,
    DriverLock.semaphore(),
    Parallel.bounded(StorageThreads),
    Retry.jittered(tries = 4, baseMillis = 100, Thread.sleep(_))
  )

  /** Of a driver in this JVM. */
  def ofThisJvm: SinkDriver.Tools = of(Clock.system, Faults.ofThisJvm)

  /** A task that is killed ends without waiting for what it no longer needs. */
  val inTasks: Parallel = Parallel.interruptible(StorageThreads)

  /** More at a time than there are processors: what is done here is waiting for the storage, not computing. */
  private final val StorageThreads = 8
}
