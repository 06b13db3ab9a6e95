// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

/** Which mutant runs now. Instrumented code asks it at each mutated expression. */
object Active {
  val None = -1

  @volatile private var active    = None
  @volatile private var recording = false
  private val reached             = new ConcurrentHashMap[Int, Boolean]

  def apply(mutant: Int): Boolean = {
    if (recording) record(mutant)
    mutant == active
  }

  def set(mutant: Int): Unit = active = mutant

  def startRecording(): Unit = {
    reached.clear()
    recording = true
  }

  /** The mutants that code reached, and whether an initializer of an object did, which runs once in a class loader. */
  def stopRecording(): Map[Int, Boolean] = {
    recording = false
    reached.asScala.toMap
  }

  private def record(mutant: Int): Unit =
    if (!reached.containsKey(mutant)) {
      reached.put(mutant, inInitializer)
      ()
    }

  private def inInitializer: Boolean = StackWalker.getInstance.walk[java.lang.Boolean] { frames =>
    frames.anyMatch { frame =>
      frame.getMethodName == "<clinit>" || frame.getMethodName.endsWith("$lzycompute")
    }
  }
}
