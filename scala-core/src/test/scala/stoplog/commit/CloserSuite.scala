// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

class CloserSuite extends AnyFunSuite {

  private val mebi = 1L << 20

  test("large parts are ended side by side as far as processors and memory go") {
    assert(Closer.atOnce(Seq(30 * mebi, 20 * mebi), heapBytes = 2048 * mebi, processors = 2) === 2)
    assert(Closer.atOnce(Seq(30 * mebi), heapBytes = 2048 * mebi, processors = 8) === 4)
    assert(Closer.atOnce(Seq(5 * mebi, 128 * mebi), heapBytes = 2048 * mebi, processors = 8) === 1)
  }

  test("one is always ended, whatever it takes") {
    assert(Closer.atOnce(Seq(4096 * mebi), heapBytes = 512 * mebi, processors = 2) === 1)
    assert(Closer.atOnce(Seq.empty, heapBytes = 512 * mebi, processors = 2) === 2)
  }
}
