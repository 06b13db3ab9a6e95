// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

class RecordBufferSuite extends AnyFunSuite {

  private def buffer = new RecordBuffer("json", UTF_8, "\n", heapBytes = 2L << 20)

  test("a record of a twentieth of the heap is written") {
    val (buffer, out) = (this.buffer, new ByteArrayOutputStream)
    for (_ <- 1 to 100) buffer.write("x" * 1000)
    buffer.drainTo(out)
    assert(out.size === 100000)
  }

  test("a larger record is refused before the memory is allocated, and the next record is written") {
    val (buffer, out) = (this.buffer, new ByteArrayOutputStream)
    val error         = intercept[IllegalArgumentException](for (_ <- 1 to 200) buffer.write("x" * 1000))
    assert(error.getMessage.endsWith("and the maximum with a heap of 2097152 bytes is 104857"))
    assert(buffer.refused.contains(error))
    buffer.clear()
    buffer.write("next")
    buffer.drainTo(out)
    assert(out.toString === "next")
  }
}
