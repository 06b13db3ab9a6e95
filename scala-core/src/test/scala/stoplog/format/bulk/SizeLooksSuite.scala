// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.scalatest.funsuite.AnyFunSuite

class SizeLooksSuite extends AnyFunSuite {

  test("small rows are inspected after a hundred rows, then after half of the remaining rows") {
    val looks = new SizeLooks(blockBytes = 1000000)
    assert(rowsUntilDue(looks, rowBytes = 10) === 100)
    looks.looked(bufferedBytes = 1000) // 10 bytes a row, so 99,900 rows are to come
    assert(rowsUntilDue(looks, rowBytes = 10) === 10000)
    looks.looked(bufferedBytes = 990000) // 98 bytes a row: 102 are to come
    assert(rowsUntilDue(looks, rowBytes = 10) === 100)
    assert(looks.rows === 10200 && looks.rawBytes === 102000)
  }

  test("large rows are inspected after each quarter of the block, also if compressed well") {
    val looks = new SizeLooks(blockBytes = 1000)
    assert(rowsUntilDue(looks, rowBytes = 100) === 3)
    looks.looked(bufferedBytes = 3)
    assert(rowsUntilDue(looks, rowBytes = 100) === 3)
    looks.looked(bufferedBytes = 0)
    assert(rowsUntilDue(looks, rowBytes = 1000) === 1)
  }

  test("large rows are inspected after each 8 MiB regardless of the block size") {
    for (blockBytes <- Seq(128L << 20, Long.MaxValue)) {
      val looks = new SizeLooks(blockBytes)
      assert(rowsUntilDue(looks, rowBytes = 1 << 20) === 8)
      looks.looked(bufferedBytes = 8 << 20)
      assert(rowsUntilDue(looks, rowBytes = 1 << 20) === 8)
    }
  }

  private def rowsUntilDue(looks: SizeLooks, rowBytes: Long): Int =
    Iterator.continually(looks.isDueWith(rowBytes)).indexOf(true) + 1
}
