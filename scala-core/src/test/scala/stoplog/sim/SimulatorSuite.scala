// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

class SimulatorSuite extends AnyFunSuite {

  test("every schedule ends with each row once and nothing else visible") {
    Search.seed match {
      case Some(seed) => Search.explain(seed, Mutation.None).foreach(fail(_))
      case None       =>
        val started = System.nanoTime()
        val found   = Search.firstFailure(0L until Search.schedules, Mutation.None)
        info(s"${Search.schedules} schedules in ${(System.nanoTime() - started) / 1000000} ms")
        found.foreach(failure => fail(Search.explain(failure.seed, Mutation.None).getOrElse(s"$failure")))
    }
  }

  test("a seed replays exactly") {
    (0L until 30L).foreach { seed =>
      val first = Simulation.replay(seed, Mutation.None)
      assert(first == Simulation.replay(seed, Mutation.None), s"seed $seed")
    }
  }

  test("the schedules get everywhere") {
    val traces = (0L until 400L).map(Simulation.replay(_, Mutation.None)).collect {
      case Outcome.Passed(_, _, trace) => trace
    }
    val missing = SimulatorSuite.Events.filterNot(event => traces.exists(_.exists(_.contains(event))))
    assert(missing.isEmpty)
  }
}

private object SimulatorSuite {

  /** What a trace says when something happened that is worth simulating. */
  val Events: Seq[String] =
    stoplog.fault.Step.ofSinks.map(_.name).diff(Seq("recordWritten", "midSetAside", "afterSetAside")) ++
      Seq(
        "is taken", "STOPLOG_FENCED", "STOPLOG_EPOCH_AHEAD", "others may write", "all others are gone",
        "in place", "to take over", "Repeated", "delete record", "discard ", "is killed", "power loss",
        "exits", "a tool has finished", "a tool has removed", "failed before", "failed after",
        "fault at afterRecord", "minutes pass", "is there already"
      )
}
