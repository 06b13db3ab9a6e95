// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.lang.management.ManagementFactory

import com.sun.management.OperatingSystemMXBean

/** Ends a run that a mutant keeps from ending.
  *
  * A loop without end shows in the processor time of this process, soon and on a busy machine too, where the clock would
  * take a slow run for one. Only a run that waits for ever has to be told by the clock.
  */
object Watch {
  private val lookEveryMillis = 200L

  /** @param millis of processor time that the tests take without a mutant
    * @param late   called in another thread; has to end the process
    */
  def within[A](millis: Long)(run: => A)(late: => Unit): A = {
    val processor = processorMillis + 3000 + 5 * millis
    val clock     = System.nanoTime / 1000000 + 60000 + 10 * millis
    val watch     = new Thread(() =>
      try {
        while (processorMillis < processor && System.nanoTime / 1000000 < clock) Thread.sleep(lookEveryMillis)
        late
      } catch { case _: InterruptedException => }
    )
    watch.setDaemon(true)
    watch.start()
    try run
    finally {
      watch.interrupt()
      watch.join()
    }
  }

  /** What this process has taken so far, which does not depend on what else the machine does. */
  def processorMillis: Long = system.getProcessCpuTime / 1000000

  private val system = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean])
}
