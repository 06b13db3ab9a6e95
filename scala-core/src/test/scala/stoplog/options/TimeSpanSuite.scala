// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class TimeSpanSuite extends AnyFunSuite {

  test("parses fifteen minutes in many notations") {
    for (
      text <- Seq(
        "15m", "15 min", "15 minutes", "900s", "900 seconds", "900000ms", "PT15M", "pt900s", "10m 300s"
      )
    )
      assert(TimeSpan.parse(text) === Right(900000L), text)
  }

  test("units may be mixed") {
    assert(TimeSpan.parse("1 hour 30 minutes") === Right(5400000L))
    assert(TimeSpan.parse("1d2h") === Right(93600000L))
    assert(TimeSpan.parse("500ms") === Right(500L))
  }

  test("rejects a number without a unit and suggests two units") {
    val why = TimeSpan.parse("900").left.getOrElse("")
    assert(why.contains("no unit") && why.contains("900s") && why.contains("900ms"))
  }

  test("rejects text that is not a time span") {
    for (text <- Seq("", "soon", "m15", "15 parsecs", "1.5h", "-5m", "P", "5m later", "15 months"))
      assert(TimeSpan.parse(text).left.exists(_.contains("is not a duration")), text)
  }

  test("rejects zero, fractions of a millisecond and values beyond the range") {
    assert(TimeSpan.parse("0s").isLeft)
    assert(TimeSpan.parse("PT-5M").isLeft)
    assert(TimeSpan.parse("PT0.0001S").isLeft)
    assert(TimeSpan.parse("99999999999999999999d").isLeft)
  }

  test("a rendered span parses to the same value") {
    for (millis <- Seq(1L, 999L, 1000L, 90000L, 900000L, 3600000L, 86400000L, 86400001L, Long.MaxValue))
      assert(TimeSpan.parse(TimeSpan.render(millis)) === Right(millis))
    assert(TimeSpan.render(900000L) === "15m")
  }

  test("parses every unit by each of its names") {
    val units = Seq(
      1L        -> "ms msec millis millisecond milliseconds",
      1000L     -> "s sec secs second seconds",
      60000L    -> "m min mins minute minutes",
      3600000L  -> "h hr hrs hour hours",
      86400000L -> "d day days"
    )
    for {
      (millis, names) <- units
      name            <- names.split(' ')
    } {
      assert(TimeSpan.parse(s"3 $name") === Right(3 * millis), name)
      assert(TimeSpan.parse(s"3${name.toUpperCase}") === Right(3 * millis), name)
    }
  }

  test("a span is rendered in the largest exact unit") {
    val texts = Seq(1L -> "1ms", 1001L -> "1001ms", 2000L -> "2s", 60000L -> "1m", 61000L -> "61s") ++
      Seq(7200000L -> "2h", 7260000L -> "121m", 172800000L -> "2d", 90000000L -> "25h")
    for ((millis, text) <- texts) assert(TimeSpan.render(millis) === text)
  }

  test("a millisecond is the shortest span, and Long.MaxValue the longest") {
    assert(TimeSpan.parse("PT0.001S") === Right(1L))
    assert(TimeSpan.parse("1ms") === Right(1L))
    assert(TimeSpan.parse(s"${Long.MaxValue}ms") === Right(Long.MaxValue))
    assert(TimeSpan.parse("9223372036854775808ms").left.exists(_.contains("too long")))
    assert(TimeSpan.parse("0s").left.exists(_.contains("at least one millisecond")))
  }
}
