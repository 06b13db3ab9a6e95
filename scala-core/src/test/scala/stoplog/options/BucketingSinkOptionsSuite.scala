// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.storage.{PartLayout, Truncation}

/** The names of hidden files, which only `BucketingSink` sets. */
class BucketingSinkOptionsSuite extends AnyFunSuite {

  private val json = Map("path" -> "/data/out", "format" -> "json")

  private def parse(more: (String, String)*): SinkOptions = SinkOptions.parse(json ++ more)

  private def problems(more: (String, String)*): String =
    intercept[StoplogArgumentException](parse(more: _*)).getMessageParameters.get("problems")

  test("markers must hide unfinished parts and differ from each other") {
    val inBucket = parse("inProgress" -> "bucket").parts.layout
    assert(inBucket === PartLayout.InBucket("main", "_", ".in-progress", "_", ".pending"))
    val own =
      parse(
        "inProgress"                     -> "bucket",
        "bucketingSink.inProgressPrefix" -> ".tmp-",
        "bucketingSink.pendingSuffix"    -> ".done"
      ).parts.layout
    assert(own === PartLayout.InBucket("main", ".tmp-", ".in-progress", "_", ".done"))
    assert(
      problems("inProgress" -> "bucket", "bucketingSink.pendingPrefix" -> "tmp").contains(
        "readers would read"
      )
    )
    assert(
      problems("inProgress" -> "bucket", "bucketingSink.pendingSuffix" -> ".in-progress").contains(
        "are the same"
      )
    )
    assert(
      problems("bucketingSink.pendingSuffix" -> ".x").contains(
        "pendingSuffix has no effect unless inProgress is set"
      )
    )
  }

  test("useTruncate=false replaces truncation with valid-length files") {
    assert(parse().recovery.storage.truncation === Truncation.Allowed)
    assert(
      parse("bucketingSink.useTruncate" -> "false").recovery.storage.truncation === Truncation.ValidLength(
        "_",
        ".valid-length"
      )
    )
    val own = parse(
      "bucketingSink.useTruncate"       -> "false",
      "bucketingSink.validLengthPrefix" -> ".",
      "bucketingSink.validLengthSuffix" -> ".length"
    )
    assert(own.recovery.storage.truncation === Truncation.ValidLength(".", ".length"))
    assert(problems("bucketingSink.useTruncate" -> "no").contains("useTruncate"))
    assert(
      problems("bucketingSink.useTruncate" -> "false", "bucketingSink.validLengthPrefix" -> "x").contains(
        "read such files as data"
      )
    )
    assert(
      problems("bucketingSink.validLengthSuffix" -> ".x").contains(
        "has no effect unless useTruncate is set to false"
      )
    )
  }
}
