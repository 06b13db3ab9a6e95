// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.concurrent.TrieMap

import org.scalatest.funsuite.AnyFunSuite

class SimulatorSuite extends AnyFunSuite {
  import SimulatorSuite._

  test("every schedule ends with each row once and nothing else visible") {
    Search.seed match {
      case Some(seed) => Search.explain(seed, Mutation.None).foreach(fail(_))
      case None       =>
        failure.foreach(failed => fail(Search.explain(failed.seed, Mutation.None).getOrElse(s"$failed")))
    }
  }

  test("a seed replays exactly") {
    assert(failure.isEmpty)
    for (seed <- Search.first until Search.first + Replayed)
      assert(outcomes.get(seed).contains(Simulation.replay(seed, Mutation.None)), s"seed $seed")
  }

  test("the schedules cover all events") {
    assert(failure.isEmpty && unseen.isEmpty)
  }

  private val outcomes = TrieMap.empty[Long, Outcome]
  private val unseen   = TrieMap.from(Events.map(_ -> ()))

  // One walk through the seeds for all tests. The first ones keep an account of what happens, until all has happened.
  private lazy val failure = {
    val started = System.nanoTime()
    val seeds   = Search.first until Search.first + Search.schedules.max(Traced)
    val found   = Search.walk(seeds) { (seed, lane) =>
      val n = seed - Search.first
      if (n < Replayed || (n < Traced && unseen.nonEmpty)) traced(seed, lane)
      else Simulation.run(seed, Mutation.None, lane)
    }
    info(
      s"${seeds.size} schedules from seed ${Search.first} on in ${(System.nanoTime() - started) / 1000000} ms"
    )
    found
  }

  private def traced(seed: Long, lane: Lane): Outcome = {
    val outcome = Simulation.run(seed, Mutation.None, lane, Tracing.On)
    outcome match {
      case Outcome.Passed(_, _, trace) =>
        unseen.keys.filter(event => trace.exists(_.contains(event))).foreach(unseen.remove)
      case _ => ()
    }
    if (seed < Search.first + Replayed) outcomes(seed) = outcome
    outcome
  }
}

private object SimulatorSuite {

  /** How many seeds are looked through at most for all that is worth simulating. */
  val Traced: Long = 1000

  /** How many are simulated once more. */
  val Replayed: Long = 30

  /** What a trace says when something happened that is worth simulating. */
  val Events: Seq[String] =
    // A replacement is called off if a reader comes at one moment, and batch jobs take cuts: small worlds come there.
    stoplog.fault.Step.ofSinks
      .map(_.name)
      .diff(Seq("recordWritten", "midRemove", "replacementCalledOff", "cutTaken")) ++
      Seq(
        "is taken", "STOPLOG_FENCED", "STOPLOG_EPOCH_AHEAD", "others may write", "all others are gone",
        "in place", "to take over", "Repeated", "delete record", "discard ", "is killed", "power loss",
        "exits", "a tool has finished", "a tool has removed", "failed before", "failed after",
        "fault at afterRecord", "minutes pass", "is there already"
      )
}
