// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

class BucketIdSuite extends AnyFunSuite {

  test("a relative path of ordinary names is returned unchanged") {
    for (
      id <- Seq(
        "",
        "a",
        "2026-01-31--23",
        "a/b/c",
        "country=DE/city=K%C3%B6ln",
        "x" * 255 + "/" + "y" * 255,
        "Zürich",
        "a b",
        "a.b",
        "a..b",
        "x_"
      )
    )
      assert(BucketId.checked(id) eq id)
  }

  private val refused = Seq(
    "/a"             -> "absolute",
    "/"              -> "absolute",
    "//a"            -> "absolute",
    ".."             -> "'..'",
    "../a"           -> "'..'",
    "a/../../b"      -> "'..'",
    "a/.."           -> "'..'",
    "."              -> "'.'",
    "a/./b"          -> "'.'",
    "a//b"           -> "empty",
    "a/"             -> "empty",
    "a\nb"           -> "control",
    "a\u0000"        -> "control",
    "a/b\u007f"      -> "control",
    "a/\u0085"       -> "control",
    ".hidden"        -> "'.hidden'",
    "..."            -> "'...'",
    "a/" + "x" * 256 -> "256 bytes",
    "ü" * 128        -> "256 bytes",
    "a/.b=c"         -> "'.b=c'",
    "_stoplog"       -> "'_stoplog'",
    "_stoplog/main"  -> "'_stoplog'",
    "a/_temporary"   -> "'_temporary'",
    "a._COPYING_"    -> "'a._COPYING_'"
  )

  for ((id, why) <- refused)
    test(s"'${id.map(c => if (c < ' ' || c > '~') '?' else c)}' is rejected: $why") {
      val e = intercept[Exception](BucketId.checked(id))
      assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_BUCKET_ID")
      assert(e.asInstanceOf[SparkThrowable].getMessageParameters.get("why").contains(why))
    }

  test("null is rejected") {
    val e = intercept[Exception](BucketId.checked(null))
    assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_BUCKET_ID")
  }

  test("names with a leading _ are accepted before =, where Spark shows them") {
    assert(BucketId.checked("_id=1/a") === "_id=1/a")
  }

  test("the buckets of nulls and of the base path are valid") {
    for (id <- Seq(BucketId.OfNull, BucketId.Base)) assert(BucketId.problem(id) === None)
  }

  test("isUnder compares whole path segments") {
    assert(BucketId.isUnder("a", "a") && BucketId.isUnder("a", "a/b") && BucketId.isUnder("a/b", "a/b/c"))
    assert(!BucketId.isUnder("a", "ab") && !BucketId.isUnder("a", "b/a") && !BucketId.isUnder("a/b", "a"))
  }

  test("nulls have a visible bucket, and the base path an empty bucket") {
    assert((BucketId.OfNull, BucketId.Base) === (("null", "")))
  }
}
