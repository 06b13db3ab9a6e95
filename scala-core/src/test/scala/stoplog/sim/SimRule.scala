// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import stoplog.commit.CompleteRule

/** When buckets are complete in a world. Has dice of its own, so that the others of a world fall as they would without it. */
object SimRule {
  def draw(seed: Long, startMillis: Long): CompleteRule = {
    val random = new SplittableRandom(seed ^ 0x5deece66dL)
    random.nextInt(4) match {
      case 0 => CompleteRule.ByIdleness((1 + random.nextInt(10)) * 60 * 1000L)
      case 1 =>
        val ends = Map("a" -> startMillis, "b" -> (startMillis + random.nextInt(20) * 60 * 1000L))
        CompleteRule.ByClock(0, ends.get)
      case _ => CompleteRule.Never
    }
  }
}
