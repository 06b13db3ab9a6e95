// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.CompleteRule._

class CompleteRuleSuite extends AnyFunSuite {
  private val ends: Ends = bucket => Option.when(bucket == "a")(1000L)

  private def reached(rule: CompleteRule, bucket: String, now: Long, mark: Option[Long] = None): Boolean =
    rule.isReached(bucket, last = 500, now, mark)

  test("by the clock: so long after the end of the bucket's time, to the millisecond") {
    val rule = ByClock(delayMillis = 200, ends)
    assert(!reached(rule, "a", 1199) && reached(rule, "a", 1200))
    assert(!reached(rule, "no time", 9999))
    assert(rule.covers("a") && !rule.covers("no time"))
    assert(rule.endMillis("a") === Some(1000L))
  }

  test("by the watermark: whatever the clock says, and not before there is one") {
    val rule = ByWatermark(delayMillis = 200, ends)
    assert(!reached(rule, "a", 9999) && !reached(rule, "a", 9999, Some(1199)))
    assert(reached(rule, "a", 0, Some(1200)))
    assert(!reached(rule, "no time", 9999, Some(9999)))
    assert(rule.covers("a") && !rule.covers("no time"))
    assert(rule.endMillis("a") === Some(1000L))
  }

  test("by idleness: so long after its last row, whatever the bucket") {
    val rule = ByIdleness(delayMillis = 200)
    assert(!reached(rule, "no time", 699) && reached(rule, "no time", 700))
    assert(rule.covers("no time") && rule.endMillis("a") === None)
  }

  test("no bucket is ever complete for those who are not to say so; some wait for another run") {
    for (rule <- Seq(Never, Later(Set("a")))) {
      assert(!reached(rule, "a", Long.MaxValue, Some(Long.MaxValue)))
      assert(rule.endMillis("a") === None)
    }
    assert(!Never.covers("a"))
    assert(Later(Set("a")).covers("a") && !Later(Set("a")).covers("b"))
  }

  test("a bucket that is not for readers is not waited for") {
    val rule = Except(ByIdleness(200), hidden = _.startsWith("_"))
    assert(rule.covers("a") && !rule.covers("_rejected"))
    assert(reached(rule, "a", 700) && rule.word === "idle")
    assert(Except(ByClock(0, ends), _ => false).endMillis("a") === Some(1000L))
    assert(!Except(ByClock(0, ends), _ => false).covers("b"))
  }
}
