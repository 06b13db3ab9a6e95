// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.log.MarkerForm

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

  test("parses each kind of bucketComplete with its delay") {
    assert(parse("bucketComplete" -> "processingTime").when === BucketComplete.ProcessingTime(0))
    assert(
      parse("bucketComplete" -> "idle", "bucketCompleteDelay" -> "10m").when === BucketComplete.Idle(600000)
    )
    val watermark =
      parse("bucketComplete" -> "watermark", "bucketColumn" -> "at", "bucketCompleteDelay" -> "0s")
    assert(watermark.when === BucketComplete.Watermark(0))
    assert(watermark.form === MarkerForm.Json)
    assert(
      parse("manifest" -> "json", "manifestRetention" -> "30d").manifest === Completeness.ManifestChoice.Json(
        Some(2592000000L)
      )
    )
  }

  test("rejects combinations that cannot complete buckets") {
    val watermark = "bucketComplete" -> "watermark"
    val clock     = "bucketComplete" -> "processingTime"
    assert(refused("bucketComplete" -> "idle").contains("needs bucketCompleteDelay"))
    assert(refused("bucketComplete" -> "idle", "bucketCompleteDelay" -> "0s").contains("more than 0"))
    assert(refused(watermark).contains("needs bucketColumn"))
    assert(refused(clock, "bucketFormat" -> "MM-dd").contains("from the year on"))
    assert(refused(clock, "bucketBy" -> "x").contains("bucketBy"))
    assert(refused(clock, "bucketAssigner" -> "basePath").contains("basePath"))
    assert(refused(clock, "bucketAssigner" -> classOf[OneBucket].getName).contains("TimedBuckets"))
  }

  test("rejects options without effect") {
    assert(refused("bucketCompleteDelay" -> "1m").contains("unless bucketComplete is set"))
    assert(refused("bucketMarker" -> "empty").contains("unless bucketComplete is set"))
    assert(refused("manifestRetention" -> "1d").contains("unless manifest is set to json"))
  }
}
