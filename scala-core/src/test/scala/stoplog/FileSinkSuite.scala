// SPDX-License-Identifier: Apache-2.0
package stoplog

import org.scalatest.funsuite.AnyFunSuite

import stoplog.options.NoEncoder
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy}

class FileSinkSuite extends AnyFunSuite {

  private val json = FileSink.forRowFormat("/data/out", "json")

  test("a built-in policy is shown as its options") {
    val policy = DefaultRollingPolicy().withMaxPartSizeBytes(64L << 20)
    assert(
      json.withRollingPolicy(policy).build().toString ===
        "FileSink(format=json, inactivityInterval=5m, maxPartSize=64m, path=/data/out, rollingPolicy=default, " +
        "rolloverInterval=15m)"
    )
  }

  test("a second policy replaces the first completely") {
    val sink =
      json.withRollingPolicy(DefaultRollingPolicy()).withRollingPolicy(OnCheckpointRollingPolicy()).build()
    assert(sink.toString === "FileSink(format=json, path=/data/out, rollingPolicy=onCheckpoint)")
  }

  test("a user-defined object is shown as its class") {
    val sink = FileSink.forRowFormat("/data/out", new NoEncoder("|")).build()
    assert(sink.toString === "FileSink(format=stoplog.options.NoEncoder, path=/data/out)")
  }
}
