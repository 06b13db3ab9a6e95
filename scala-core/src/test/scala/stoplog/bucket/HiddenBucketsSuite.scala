// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.SparkSessionForTests
import stoplog.storage.HiddenNames

class HiddenBucketsSuite extends AnyFunSuite with SparkSessionForTests {

  test("exactly the names hidden from Spark are rejected") {
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
      assert(HiddenNames.isHidden(name) === BucketId.problem(name).isDefined, name)
    }
  }
}
