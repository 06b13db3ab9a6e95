// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.rolling.DefaultRollingPolicy

class EventTimeOptionsSuite extends AnyFunSuite {

  test("the default policy converts its event-time interval from options and back") {
    val hourly = parse("eventTimeInterval" -> "1h", "eventTimeColumn" -> "at")
    assert(hourly.rolling.policy === DefaultRollingPolicy().withEventTimeIntervalMillis(3600000L))
    assert(hourly.rolling.eventTimeColumn === Some("at"))
    assert(RollingOptions.toMap(hourly.rolling.policy).get("eventTimeInterval") === Some("1h"))
    assert(parse("eventTimeInterval" -> "none").rolling.policy === DefaultRollingPolicy())
    assert(parse().rolling.eventTimeColumn === None)
  }

  test("rejects event-time options without effect") {
    assert(
      refusal("eventTimeColumn" -> "at").contains("eventTimeColumn has no effect without eventTimeInterval")
    )
    val own = refusal("rollingPolicy" -> "stoplog.options.AtMidnight", "eventTimeInterval" -> "1h")
    assert(own.contains("eventTimeInterval has no effect"))
  }

  test("a mistake in the interval is reported once") {
    def assertOnce(options: (String, String)*): Unit = {
      val said = refusal(options :+ ("eventTimeColumn" -> "at"): _*)
      assert(said.contains("eventTimeInterval") && !said.contains("eventTimeColumn"))
    }
    assertOnce("eventTimeInterval" -> "3")
    assertOnce("rollingPolicy"     -> "onCheckpoint", "eventTimeInterval" -> "1h")
  }

  test("custom policies and assigners may request the event-time column") {
    for (
      own <- Seq("rollingPolicy" -> "stoplog.options.AtMidnight", "bucketAssigner" -> "stoplog.spark.ByTimes")
    )
      assert(parse(own, "eventTimeColumn" -> "at").rolling.eventTimeColumn === Some("at"))
  }

  private def parse(options: (String, String)*): SinkOptions =
    SinkOptions.parse(Map("path" -> "/p", "format" -> "json") ++ options)

  private def refusal(options: (String, String)*): String =
    intercept[StoplogArgumentException](parse(options: _*)).getMessage
}
