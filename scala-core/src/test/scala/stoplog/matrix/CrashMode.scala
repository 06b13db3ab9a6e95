// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What becomes of a process that stops at a step. */
sealed abstract class CrashMode(val name: String, val meaning: String) extends Product with Serializable

object CrashMode {
  case object Killed
      extends CrashMode("killed", "the process is dead, and the operating system has released its locks")

  case object Frozen
      extends CrashMode(
        "frozen",
        "the process hangs for ever, and no other process can detect whether it will write again"
      )

  case object Woken
      extends CrashMode("woken", "the process continues after its successor has finished the work")

  val all: Vector[CrashMode] = Vector(Killed, Frozen, Woken)
}
