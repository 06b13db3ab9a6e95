// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.concurrent.CountDownLatch

import stoplog.laws.Elsewhere

/** A process of its own, which stops at a step and waits to be killed. */
final class StoppedProcess(place: Place with Serializable, at: CrashPoint.At) extends Elsewhere.Task {
  override def run(): String =
    new ProcessRun(
      place,
      Crash.clock(),
      new CrashPoint(Some(at)),
      Checkpoint.empty,
      ProcessRun.planned
    ).checkpoint.print

  override def afterwards(): Unit = new CountDownLatch(1).await()
}

object StoppedProcess {

  /** What `kill -9` at this step leaves in the checkpoint. */
  def killed(place: Place with Serializable, at: CrashPoint.At): Checkpoint = {
    val victim = Elsewhere.start(new StoppedProcess(place, at))
    try Checkpoint.parse(victim.answer)
    finally victim.kill()
  }
}
