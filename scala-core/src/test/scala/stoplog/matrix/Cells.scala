// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.Assertions

import stoplog.LongRun
import stoplog.thread.Parallel

/** Tries cells of a matrix, several at a time. */
trait Cells extends Assertions {

  /** Whether `STOPLOG_LONG` is set in the environment. */
  protected final val long: Boolean = Cells.inLongRun

  /** Cells at a time: those of a server wait for it most of the time. */
  protected def threads: Int

  protected final def hold(crashes: Seq[Crash]): Unit = holdAll(crashes)(_.verdict())

  protected final def holdAll[A](crashes: Seq[A])(verdict: A => Verdict): Unit =
    Parallel.bounded(threads).map(crashes)(crash => crash -> verdict(crash)).foreach {
      case (crash, verdict) =>
        assert(verdict.struck, s"$crash was not reached")
        assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.take(12).mkString("\n")}")
    }
}

object Cells {

  /** In which little is left out. */
  def inLongRun: Boolean = LongRun.isOn
}
