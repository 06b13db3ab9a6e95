// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{Open, Resume, Spooled}

class SinkMetricsSuite extends AnyFunSuite {

  test("the open bytes include spooled rows, as in stoplog show") {
    val waiting = Open("", "a", 0, Resume("t"), 4, 100, 0, 0, None, Spooled("", Vector.empty, 880000))
    val plain   = Open("", "b", 0, Resume("t"), 10, 1, 0, 0, None)
    val metrics = SinkStats.empty.copy(open = Vector(waiting, plain)).metrics.toMap
    assert((metrics.get("openParts"), metrics.get("openBytes")) === ((Some(2L), Some(880014L))))
  }
}
