// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.kafka.client.ProducerSettings

class CheckedSettingsSuite extends AnyFunSuite {
  private val one   = ProducerSettings(Map("bootstrap.servers" -> "one:9092"), 60000)
  private val other = one.copy(transactionTimeoutMillis = 30000)

  test("passed checks are valid for a minute, for the same settings only") {
    val clock   = new ManualClock(0)
    val seen    = mutable.Buffer.empty[ProducerSettings]
    val checked = new CheckedSettings(clock, seen += _)
    checked.refuseInvalid(one)
    checked.refuseInvalid(one)
    checked.refuseInvalid(other)
    assert(seen === Seq(one, other))
    clock.advance(60000)
    checked.refuseInvalid(one)
    assert(seen === Seq(one, other, one))
  }

  test("failed checks are repeated") {
    var checks  = 0
    val checked = new CheckedSettings(
      new ManualClock(0),
      _ => {
        checks += 1
        throw new IllegalStateException("no broker")
      }
    )
    for (_ <- 1 to 2) intercept[IllegalStateException](checked.refuseInvalid(one))
    assert(checks === 2)
  }
}
