// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.growth

import org.scalatest.funsuite.AnyFunSuite

/** The cost of an epoch depends on what the epoch touches, and on nothing that was there before. */
class GrowthSuite extends AnyFunSuite {

  for (curve <- GrowthCurves.all(Seq(10, 300, 3000)))
    test(s"the calls of one epoch do not grow with the number of ${curve.against}") {
      val few = curve.points.head
      for (many <- curve.points.tail) {
        assert(many.calls <= few.calls + Rounding, curve)
        assert(many.bytes <= few.bytes + MoreDigits, curve)
      }
    }

  /** Calls. Old records are removed about a hundred at a time, so a window may have one removal more. */
  private final val Rounding = 0.25

  /** Bytes: larger numbers have more digits. */
  private final val MoreDigits = 64L
}
