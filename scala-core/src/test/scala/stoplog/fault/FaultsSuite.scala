// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import org.scalatest.funsuite.AnyFunSuite

class FaultsSuite extends AnyFunSuite {

  test("every step has a name of its own, is found by it, and says what is on storage") {
    assert(Step.all.distinct.size === Step.all.size)
    assert(Step.all.map(_.name.toLowerCase).distinct.size === Step.all.size)
    assert(Step.all.forall(step => Step.named(step.name.toUpperCase).contains(step)))
    assert(Step.all.forall(_.after.nonEmpty))
    assert(Step.named("nowhere").isEmpty)
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
