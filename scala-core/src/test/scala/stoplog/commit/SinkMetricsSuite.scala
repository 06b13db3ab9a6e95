// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{LastWriter, Open, PartRows, Resume, Spooled}

class SinkMetricsSuite extends AnyFunSuite {

  test("the open bytes include spooled rows, as in stoplog show") {
    val waiting = Open(
      "",
      "a",
      Resume("t"),
      4,
      PartRows(100, 0, 0),
      LastWriter(0, None),
      Spooled("", Vector.empty, 880000)
    )
    val plain   = Open("", "b", Resume("t"), 10, PartRows(1, 0, 0), LastWriter(0, None))
    val metrics = SinkStats.empty.copy(open = Vector(waiting, plain)).metrics.toMap
    assert((metrics.get("openParts"), metrics.get("openBytes")) === ((Some(2L), Some(880014L))))
  }
}
