// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.scalatest.funsuite.AnyFunSuite

class PartitionDiscoverySuite extends AnyFunSuite {
  import PartitionDiscovery.unnamedLevel

  test("readers pass over a bucket with a level that is no name=value") {
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

  test("they find the path itself, and columns of any number") {
    for (bucket <- Seq(BucketId.Base, "dt=2026-01-31", "dt=2026-01-31/hour=20", "a=b=c", "_tmp=1"))
      assert(unnamedLevel(bucket) === None, bucket)
    assert(PartitionDiscovery.columns("dt=2026-01-31/hour=20") === Seq("dt", "hour"))
  }

  test("what no reader is to see needs no names") {
    assert(unnamedLevel("_rejected/2026-01-31--20") === None)
  }
}
