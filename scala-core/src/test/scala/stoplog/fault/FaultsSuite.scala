// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import org.scalatest.funsuite.AnyFunSuite

class FaultsSuite extends AnyFunSuite {

  test("every step has a name of its own, and is found by it") {
    assert(Step.all.distinct.size === Step.all.size)
    assert(Step.all.map(_.name.toLowerCase).distinct.size === Step.all.size)
    assert(Step.all.forall(step => Step.named(step.name.toUpperCase).contains(step)))
    assert(Step.named("nowhere").isEmpty)
  }

  test("no two steps leave the same on storage: a step that says what another says is none of its own") {
    val said = Step.all.groupBy(_.after.trim.toLowerCase)
    assert(said.filter { case (after, steps) => after.split(' ').length < 3 || steps.size > 1 } === Map.empty)
  }

  test("a fault strikes at the occurrence that was asked for, once") {
    val faults = Faults.parse("afterRecord:2:throw")
    faults.at(Step.AfterRecord)
    faults.at(Step.BeforeRecord)
    assert(intercept[InjectedFault](faults.at(Step.AfterRecord)).step === Step.AfterRecord)
    faults.at(Step.AfterRecord)
  }

  test("a fault that cannot be is refused") {
    for (
      spec <- Seq("afterRecord", "afterRecord:1", "afterRecord:x:throw", "nowhere:1:halt",
        "afterRecord:1:burn")
    )
      assert(intercept[IllegalArgumentException](Faults.parse(spec)).getMessage.contains(Faults.Property))
  }
}
