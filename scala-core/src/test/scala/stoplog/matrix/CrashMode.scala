// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What becomes of a process that stops at a step. */
sealed abstract class CrashMode(val name: String, val meaning: String) extends Product with Serializable

object CrashMode {
  case object Killed extends CrashMode("killed", "it is dead, and the operating system has dropped its locks")

  case object Frozen
      extends CrashMode(
        "frozen",
        "it stands still for ever, and no process can tell whether it will write again"
      )

  case object Woken extends CrashMode("woken", "it goes on once its successor has finished the work")

  val all: Vector[CrashMode] = Vector(Killed, Frozen, Woken)
}
