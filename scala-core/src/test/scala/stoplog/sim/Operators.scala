// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

/** When somebody runs a tool: in some schedules, a few times, with dice of their own, so that the others stay the same.
  */
final class Operators(world: World, mutation: Mutation) {
  private val dice = new SplittableRandom(world.seed ^ Operators.Salt ^ world.ofSink)
  private var left = if (dice.nextInt(3) == 0) 1 + dice.nextInt(4) else 0

  def maybe(): Unit = if (left > 0 && dice.nextInt(Operators.OnceIn) == 0) {
    left -= 1
    val acts = world.surroundings.tools
    val act  = if (dice.nextBoolean()) acts.head else acts.last
    new Operator(world, mutation, act).start()
  }
}

private object Operators {
  val Salt: Long  = 0x5eed0fa7001L
  val OnceIn: Int = 200
}
