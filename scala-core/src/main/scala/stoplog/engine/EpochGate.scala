// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

/** Keeps a query from beginning an epoch, so that it can be stopped between two of them.
  *
  * Spark has no notice of the end of a micro-batch before it begins the next; but the next one's first call of the sink
  * comes before it has any task.
  */
private[engine] final class EpochGate {
  private var isClosed  = false
  private var isAwaited = false

  /** Called by the query's thread when an epoch begins. Where the gate is closed that waits, until it is opened or the
    * query is stopped, which interrupts its thread.
    */
  def pass(): Unit = synchronized {
    while (isClosed) {
      isAwaited = true
      try wait()
      finally isAwaited = false
    }
  }

  def close(): Unit = synchronized {
    isClosed = true
  }

  def open(): Unit = synchronized {
    isClosed = false
    notifyAll()
  }

  /** Whether an epoch would begin now, and does not. */
  def holds: Boolean = synchronized(isAwaited)
}
