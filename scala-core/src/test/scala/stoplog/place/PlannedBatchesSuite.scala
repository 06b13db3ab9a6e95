// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.BatchDigest
import stoplog.sink.BatchTimes

/** What Spark writes of a micro-batch before it begins. */
class PlannedBatchesSuite extends AnyFunSuite {

  private def times(file: String): BatchTimes = PlannedBatches.read(file.getBytes(UTF_8)).times

  test("the times are those of the line that has them, whatever a source writes") {
    val source = """{"logOffset":0,"batchTimestamp":1}"""
    val file   = s"""v1\n{"batchWatermarkMs":90000,"batchTimestampMs":1700000000123,"conf":{}}\n$source\n"""
    assert(times(file) === BatchTimes(Some(1700000000123L), Some(90000)))
    assert(PlannedBatches.read(file.getBytes(UTF_8)).digest === BatchDigest.of(file.getBytes(UTF_8)))
  }

  test("no watermark yet, and a file of another form") {
    assert(times("""{"batchWatermarkMs":0,"batchTimestampMs":7}""") === BatchTimes(Some(7), None))
    for (file <- Seq("", "v9\n{", "v1\n[]\n{}")) assert(times(file) === BatchTimes.unknown)
  }
}
