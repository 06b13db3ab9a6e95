// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

/** Says who takes the next step. */
trait Chooser {

  /** @param ready   those who can, in the order in which they came
    * @param running who took the last step
    * @param goesOn  whether that one can take another
    */
  def next(ready: scala.collection.IndexedSeq[Actor], running: Actor, goesOn: () => Boolean): Actor

  /** Whether others may come in before a step on what nobody else knows of. */
  def stopsAtOwn: Boolean = true
}

object Chooser {

  /** By dice.
    *
    * @param stickPercent how often the actor that runs goes on, in percent
    */
  final class Drawn(random: SplittableRandom, stickPercent: Int) extends Chooser {
    override def next(
        ready: scala.collection.IndexedSeq[Actor],
        running: Actor,
        goesOn: () => Boolean
    ): Actor =
      if (random.nextInt(100) < stickPercent && goesOn()) running else ready(random.nextInt(ready.size))
  }
}
