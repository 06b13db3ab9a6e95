// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Errors
import stoplog.preflight.Finding.{Ok, Problem, Warning}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy}

class PreflightSuite extends AnyFunSuite {
  private val fine    = Ok("format", "It fits.")
  private val unknown = Warning("lifecycle", "It cannot be known.", "Set it.")
  private val wrong   = Problem("buckets", "A bucket\nis hidden.", "Use another.")

  test("prints findings, advice for problems, and names at the end") {
    val found = Preflight("/data/out", Vector(fine, unknown, wrong), Vector(ExampleName("log", "_stoplog/x")))
    assert(
      found.toString ==
        """Preflight of /data/out: not ready, 1 problem and 1 warning
          |  ok       format: It fits.
          |  warning  lifecycle: It cannot be known.
          |           Set it.
          |  problem  buckets: A bucket
          |           is hidden.
          |           Use another.
          |Names:
          |  log      _stoplog/x""".stripMargin
    )
  }

  test("only a problem prevents a start") {
    assert(Preflight("p", Vector(fine), Vector.empty).toString.startsWith("Preflight of p: ready\n"))
    val warned = Preflight("p", Vector(fine, unknown), Vector.empty)
    assert(warned.isReady && warned.toString.startsWith("Preflight of p: ready, with 1 warning\n"))
    assert(!Preflight("p", Vector(wrong), Vector.empty).isReady)
  }

  test("an error of a start becomes a problem with the last line as advice") {
    val error = Errors.storeUnsupported("xyz://a", "xyz")
    val found = Finding.refusal("path", error)
    assert(found.what.endsWith("(STOPLOG_JAR_MISSING)") && !found.what.contains("SQLSTATE"))
    assert(found.now.nonEmpty && !found.now.contains("SQLSTATE") && error.getMessage.contains(found.now))
  }

  test("other exceptions are rethrown") {
    assertThrows[IllegalStateException](Finding.tried("path")(throw new IllegalStateException("a defect")))
  }

  test("the advised expiry of unfinished uploads exceeds the rollover interval by a week") {
    val threeDays = DefaultRollingPolicy().withRolloverIntervalMillis(3L * 24 * 3600 * 1000)
    assert(Lifecycle.unknown(threeDays).now.contains("to 10 days"))
    assert(Lifecycle.unknown(DefaultRollingPolicy()).now.contains("to 7 days"))
    assert(Lifecycle.unknown(OnCheckpointRollingPolicy()).now.contains("to 7 days"))
  }

  test("lists versions and warns about an untested Spark line") {
    val libraries = Seq("Hadoop" -> "3.4.1", "hadoop-aws" -> "")
    val found     = NameChecks.Versions.of("4.2.0", libraries)
    assert(found.what == "Spark 4.2.0, Hadoop 3.4.1, hadoop-aws (unknown version).")
    assert(NameChecks.Versions.of("4.30.0", libraries).level == "warning")
    assert(NameChecks.Versions.of("5.0.0", libraries).what.contains("4.0 to 4.3"))
  }
}
