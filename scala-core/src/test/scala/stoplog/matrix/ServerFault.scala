// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.fault.{Faults, Step}

/** Something that happens to the servers when a run passes a step. */
final class ServerFault(at: CrashPoint.At => Boolean)(happens: => Unit) extends Faults {
  private val seen = TrieMap.empty[Step, Int]

  override def at(step: Step): Unit = {
    val occurrence = seen.getOrElse(step, 0) + 1
    seen.update(step, occurrence)
    if (at(CrashPoint.At(step, occurrence))) happens
  }
}
