// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import org.scalatest.funsuite.AnyFunSuite

class RepeatedKeysSuite extends AnyFunSuite {

  test("a row waits exactly if its key came since the last wait, or if too many keys have come") {
    val keys  = new RepeatedKeys(mostKeys = 4)
    val waits = Seq(1, 2, 1, 2, 2, 3, 4, 5, 6, 1).map { key =>
      var waited = false
      keys.add(KeyPrint(key.toLong, 0)) { waited = true }
      waited
    }
    assert(waits === Seq(false, false, true, false, true, false, false, false, true, false))
  }

  test("rows of a key with the same time tie only if another value differs") {
    val ties                                    = new TimeTies(mostRows = 2)
    def tie(key: Int, micros: Long, value: Int) = ties.isTie(hash(key), micros, KeyPrint(value.toLong, 0))
    assert(!tie(key = 1, micros = 10, value = 1))
    assert(!tie(key = 1, micros = 10, value = 1))
    assert(!tie(key = 1, micros = 11, value = 2))
    assert(!tie(key = 2, micros = 10, value = 2))
    assert(tie(key = 1, micros = 10, value = 2))
  }

  private def hash(key: Int): KeyHash = {
    val hash = new KeyHash
    hash.clear()
    hash.add(ByteBuffer.allocate(4).putInt(0, key))
    hash
  }
}
