// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

/** The one list of keys that every sink and source passes over. */
class SparkOptionsSuite extends AnyFunSuite {

  test("recognizes Spark's keys in any case and no misspelled keys") {
    val sparks = Seq("checkpointLocation", "QUERYNAME", "asyncprogresstrackingenabled", "__partition_columns")
    assert(sparks.filterNot(SparkOptions.isSparks) === Nil)
    assert(Seq("asyncProgressTracking", "checkpoint", "paths").filter(SparkOptions.isSparks) === Nil)
  }
}
