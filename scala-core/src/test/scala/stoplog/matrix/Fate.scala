// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What becomes of a process that stops at a step. */
sealed abstract class Fate(val name: String, val meaning: String) extends Product with Serializable

object Fate {
  case object Killed extends Fate("killed", "it is dead, and the operating system has dropped its locks")

  case object Frozen
      extends Fate("frozen", "it stands still for ever, and nobody can tell whether it will write again")

  case object Woken extends Fate("woken", "it goes on once its successor has finished the work")

  val all: Vector[Fate] = Vector(Killed, Frozen, Woken)
}
