// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.CompleteRule._

class CompleteRuleSuite extends AnyFunSuite {
  private val ends: Ends = bucket => Option.when(bucket == "a")(1000L)

  private def reached(rule: CompleteRule, bucket: String, now: Long, mark: Option[Long] = None): Boolean =
    rule.isReached(bucket, last = 500, now, mark)

  test("by the clock, a bucket is complete one delay after the end of its time") {
    val rule = ByClock(delayMillis = 200, ends)
    assert(!reached(rule, "a", 1199) && reached(rule, "a", 1200))
    assert(!reached(rule, "no time", 9999))
    assert(rule.covers("a") && !rule.covers("no time"))
    assert(rule.endMillis("a") === Some(1000L))
  }

  test("by the watermark, a bucket is complete regardless of the clock, only with a watermark") {
    val rule = ByWatermark(delayMillis = 200, ends)
    assert(!reached(rule, "a", 9999) && !reached(rule, "a", 9999, Some(1199)))
    assert(reached(rule, "a", 0, Some(1200)))
    assert(!reached(rule, "no time", 9999, Some(9999)))
    assert(rule.covers("a") && !rule.covers("no time"))
    assert(rule.endMillis("a") === Some(1000L))
  }

  test("by idleness, any bucket is complete one delay after its last row") {
    val rule = ByIdleness(delayMillis = 200)
    assert(!reached(rule, "no time", 699) && reached(rule, "no time", 700))
    assert(rule.covers("no time") && rule.endMillis("a") === None)
  }

  test("without a rule no bucket is complete, and some buckets wait for another run") {
    for (rule <- Seq(Never, Later(Set("a")))) {
      assert(!reached(rule, "a", Long.MaxValue, Some(Long.MaxValue)))
      assert(rule.endMillis("a") === None)
    }
    assert(!Never.covers("a"))
    assert(Later(Set("a")).covers("a") && !Later(Set("a")).covers("b"))
  }

  test("an excluded bucket is not covered") {
    val rule = Except(ByIdleness(200), hidden = _.startsWith("_"))
    assert(rule.covers("a") && !rule.covers("_rejected"))
    assert(reached(rule, "a", 700) && rule.word === "idle")
    assert(Except(ByClock(0, ends), _ => false).endMillis("a") === Some(1000L))
    assert(!Except(ByClock(0, ends), _ => false).covers("b"))
  }
}
