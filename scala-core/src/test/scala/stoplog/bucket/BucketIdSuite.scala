// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.file.Files

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.SparkSessionForTests

class BucketIdSuite extends AnyFunSuite with SparkSessionForTests {

  test("a relative path of ordinary names is returned as it is") {
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
    test(s"'${id.map(c => if (c < ' ' || c > '~') '?' else c)}' is refused: $why") {
      val e = intercept[Exception](BucketId.checked(id))
      assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_BUCKET_ID")
      assert(e.asInstanceOf[SparkThrowable].getMessageParameters.get("why").contains(why))
    }

  test("null is refused") {
    val e = intercept[Exception](BucketId.checked(null))
    assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_BUCKET_ID")
  }

  test("names that begin with _ pass where Spark shows them: in front of =") {
    assert(BucketId.checked("_id=1/a") === "_id=1/a")
  }

  test("the buckets of nulls and of the base path are fine themselves") {
    for (id <- Seq(BucketId.OfNull, BucketId.Base)) assert(BucketId.problem(id) === None)
  }

  test("the names that are refused as hidden are those that Spark does not read, and no others") {
    val names = Seq("a", "null", "_a=1", "a_", "a.b", "x=__HIVE_DEFAULT_PARTITION__") ++
      Seq("_a", ".a", ".a=1", "a._COPYING_", "__HIVE_DEFAULT_PARTITION__", "_stoplog")
    for (name <- names) {
      val root = Files.createTempDirectory("stoplog-buckets")
      Files.writeString(Files.createDirectory(root.resolve(name)).resolve("part-0.txt"), "row\n")
      assert(
        (spark.read.option("recursiveFileLookup", "true").text(root.toString).count() == 1) === BucketId
          .problem(name)
          .isEmpty,
        name
      )
    }
  }
}
