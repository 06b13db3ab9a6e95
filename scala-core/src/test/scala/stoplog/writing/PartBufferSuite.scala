// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.MemoryParts
import stoplog.commit.Samples.mine
import stoplog.storage.NewPart

class PartBufferSuite extends AnyFunSuite {

  test("bytes arrive complete and in order for any sizes of pieces") {
    val random = new Random(3)
    val text   = random.alphanumeric.take(PartBuffer.LastBytes + 20000).mkString
    for (_ <- 1 to 20) {
      val parts    = new MemoryParts
      val output   = parts.create(NewPart("b", "p", mine))
      val buffer   = new PartBuffer(() => output, 0)
      val expected = new StringBuilder
      for (_ <- 1 to 60) {
        val size = random.nextInt(5) match {
          case 0 => 0
          case 1 => 1
          case 2 => PartBuffer.FirstBytes - 1 + random.nextInt(3)
          case 3 => PartBuffer.LastBytes - 1 + random.nextInt(3)
          case _ => random.nextInt(20000)
        }
        val from  = random.nextInt(text.length - size)
        val piece = text.substring(from, from + size)
        if (size == 1) buffer.write(piece.head.toInt) else buffer.write(piece.getBytes, 0, size)
        expected ++= piece
        assert(buffer.position === expected.length)
      }
      buffer.flush()
      assert(output.position === expected.length)
      assert(parts.content("t1") === expected.toString)
    }
  }

  test("an array offset is respected, and bytes reach the store only after a flush") {
    val parts  = new MemoryParts
    val output = parts.create(NewPart("b", "p", mine))
    val buffer = new PartBuffer(() => output, 0)
    buffer.write("xxabcxx".getBytes, 2, 3)
    assert((buffer.position, output.position) === ((3L, 0L)))
    buffer.flush()
    assert(parts.content("t1") === "abc")
  }
}
