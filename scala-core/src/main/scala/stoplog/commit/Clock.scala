// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** The time, as an argument: no test of this library sleeps. */
trait Clock extends Serializable {

  /** Milliseconds since 1970-01-01T00:00:00Z. */
  def millis(): Long
}

object Clock {
  val system: Clock = new Clock {
    override def millis(): Long = System.currentTimeMillis()
  }
}
