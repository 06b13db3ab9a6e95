// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.scalatest.funsuite.AnyFunSuite

class PartitionDiscoverySuite extends AnyFunSuite {
  import PartitionDiscovery.unnamedLevel

  test("a bucket with a level other than name=value is not discovered") {
    val levels = Seq(
      "2026-01-31--20"   -> "2026-01-31--20",
      "dt=2026-01-31/20" -> "20",
      "eu/dt=2026-01-31" -> "eu",
      "=2026-01-31"      -> "=2026-01-31",
      "dt="              -> "dt=",
      BucketId.OfNull    -> "null"
    )
    for ((bucket, level) <- levels) assert(unnamedLevel(bucket) === Some(level), bucket)
  }

  test("the base path and any number of columns are discovered") {
    for (bucket <- Seq(BucketId.Base, "dt=2026-01-31", "dt=2026-01-31/hour=20", "a=b=c", "_tmp=1"))
      assert(unnamedLevel(bucket) === None, bucket)
    assert(PartitionDiscovery.columns("dt=2026-01-31/hour=20") === Seq("dt", "hour"))
  }

  test("hidden buckets need no column names") {
    assert(unnamedLevel("_rejected/2026-01-31--20") === None)
  }
}
