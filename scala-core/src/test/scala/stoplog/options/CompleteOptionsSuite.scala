// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException

class CompleteOptionsSuite extends AnyFunSuite {
  private val needed = Map("path" -> "/data/out", "format" -> "json")

  private def parse(options: (String, String)*): Completeness =
    SinkOptions.parse(needed ++ options).buckets.completeness

  private def refused(options: (String, String)*): String =
    intercept[StoplogArgumentException](parse(options: _*)).getMessage

  test("by default, no bucket is marked and no manifest written") {
    assert(parse().when === BucketComplete.Never)
    assert(parse().manifest === Completeness.ManifestChoice.None)
  }

  test("parses each kind of bucketComplete with its time") {
    val column = "bucketColumn" -> "at"
    assert(parse("bucketComplete" -> "processingTime").when === BucketComplete.ProcessingTime(0))
    assert(parse("bucketComplete" -> "ProcessingTime 5 min").when === BucketComplete.ProcessingTime(300000))
    assert(parse("bucketComplete" -> " idle  10m ").when === BucketComplete.Idle(600000))
    assert(parse("bucketComplete" -> "watermark 0s", column).when === BucketComplete.Watermark(0))
    assert(parse("bucketComplete" -> "watermark 1h", column).when === BucketComplete.Watermark(3600000))
  }

  test("a manifest is kept for ever, or for a time") {
    assert(parse("manifest" -> "JSON").manifest === Completeness.ManifestChoice.Json(None))
    assert(parse("manifest" -> "30d").manifest === Completeness.ManifestChoice.Json(Some(2592000000L)))
    assert(refused("manifest" -> "30").contains("nor a time such as 30d"))
  }

  test("rejects combinations that cannot complete buckets") {
    val watermark = "bucketComplete" -> "watermark"
    val clock     = "bucketComplete" -> "processingTime"
    for (idle <- Seq("idle", "idle 0s"))
      assert(refused("bucketComplete" -> idle).contains("needs a time without rows, such as idle 10m"))
    assert(refused("bucketComplete" -> "idle 10").contains("has no unit"))
    assert(refused("bucketComplete" -> "none 1m").contains("must not have a time"))
    assert(refused("bucketComplete" -> "watermrk 1m").contains("perhaps watermark"))
    assert(refused(watermark).contains("needs bucketColumn"))
    assert(refused(clock, "bucketFormat" -> "MM-dd").contains("from the year on"))
    assert(refused(clock, "bucketBy" -> "x").contains("bucketBy"))
    assert(refused(clock, "bucketAssigner" -> "basePath").contains("basePath"))
    assert(refused(clock, "bucketAssigner" -> classOf[OneBucket].getName).contains("TimedBuckets"))
  }

  test("names the option that replaces a former option") {
    assert(refused("bucketCompleteDelay" -> "1m").contains("use bucketComplete with a time"))
    assert(refused("bucketMarker" -> "empty").contains("use bucketComplete"))
    assert(refused("manifestRetention" -> "1d").contains("use manifest with a time"))
  }
}
