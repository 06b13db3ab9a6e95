// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Step
import stoplog.jdbc.client.JdbcStep

class JdbcStepsSuite extends AnyFunSuite {
  test("fault injection finds steps of this connector and of the write-ahead sink by name") {
    assert(JdbcStep.all.forall(step => Step.named(step.name).contains(step)))
    assert(Step.named("afterSend").isDefined)
    assert(Step.all.map(_.name.toLowerCase).distinct.size === Step.all.size)
    assert(Step.all.map(_.after.trim.toLowerCase).distinct.size === Step.all.size)
  }
}
