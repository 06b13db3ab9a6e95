// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.lang.management.ManagementFactory

import com.sun.management.OperatingSystemMXBean

/** Ends a run that a mutant keeps from ending.
  *
  * The clock would take a slow run on a busy machine for one. The processor time of this process tells: a loop without
  * end takes more and more of it, and threads that wait for each other take none.
  */
object Watch {
  private val lookEveryMillis = 500L
  private val looksBack       = 40
  private val idleMillis      = 200L

  /** @param millis of processor time that the tests take without a mutant
    * @param late   called in another thread; has to end the process
    */
  def within[A](millis: Long)(run: => A)(late: => Unit): A = {
    val limit = processorMillis + 3000 + 5 * millis
    val watch = new Thread(() =>
      try {
        var looks = Vector(processorMillis)
        while (looks.last < limit && (looks.size < looksBack || looks.last - looks.head > idleMillis)) {
          Thread.sleep(lookEveryMillis)
          looks = looks.takeRight(looksBack - 1) :+ processorMillis
        }
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
