// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import org.scalatest.funsuite.AnyFunSuite

class FaultsSuite extends AnyFunSuite {

  test("every step has a unique name, and is found by name in any case") {
    assert(Step.all.distinct.size === Step.all.size)
    assert(Step.all.map(_.name.toLowerCase).distinct.size === Step.all.size)
    assert(Step.all.forall(step => Step.named(step.name.toUpperCase).contains(step)))
    assert(Step.named("nowhere").isEmpty)
  }

  test("every step has a unique description of the storage") {
    val said = Step.all.groupBy(_.after.trim.toLowerCase)
    assert(said.filter { case (after, steps) => after.split(' ').length < 3 || steps.size > 1 } === Map.empty)
  }

  test("a fault occurs once, at the requested occurrence") {
    val faults = Faults.parse("afterRecord:2:throw")
    faults.at(Step.AfterRecord)
    faults.at(Step.BeforeRecord)
    assert(intercept[InjectedFault](faults.at(Step.AfterRecord)).step === Step.AfterRecord)
    faults.at(Step.AfterRecord)
  }

  test("an invalid fault is rejected") {
    for (
      spec <- Seq("afterRecord", "afterRecord:1", "afterRecord:x:throw", "nowhere:1:halt",
        "afterRecord:1:burn")
    )
      assert(intercept[IllegalArgumentException](Faults.parse(spec)).getMessage.contains(Faults.Property))
  }
}
