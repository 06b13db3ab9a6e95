// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** The clocks of a source. A wall clock may step back and forth at any time: no interval is measured with it. */
private[stoplog] trait SourceClock extends Serializable {

  /** The time of day, to compare with dates and with times of files. */
  def wallMillis: Long

  /** A reading of a clock that only runs forward, comparable within one process. */
  def elapsedMillis: Long
}

private[stoplog] object SourceClock {

  /** The clocks of this machine. */
  case object System extends SourceClock {
    override def wallMillis: Long    = java.lang.System.currentTimeMillis()
    override def elapsedMillis: Long = java.lang.System.nanoTime() / 1000000
  }
}
