// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** The search for the ends of lines, which looks at several bytes at once. */
class LineEndsSuite extends AnyFunSuite {
  private val ends = LineEnds.of(None)

  test("a line end is found at each place of a text of any length") {
    for {
      length <- 0 to 80
      place  <- 0 until length
      end    <- Seq('\n', '\r')
    } {
      val bytes = Array.fill(length)('a'.toByte)
      assert(!ends.isWithin(UTF8String.fromBytes(bytes)))
      bytes(place) = end.toByte
      assert(ends.isWithin(UTF8String.fromBytes(bytes)), s"at $place of $length")
    }
  }

  test("only line feeds and carriage returns are line ends, also among their neighbours and negative bytes") {
    val random = new Random(7)
    val bytes  = Array[Byte](0, 9, 10, 11, 12, 13, 14, 31, 127, -128, -118, -115, -1)
    for (_ <- 1 to 20000) {
      // A text of one or two values has line ends in a part of the cases only.
      val values = Array.fill(1 + random.nextInt(2))(bytes(random.nextInt(bytes.length)))
      val text   = Array.fill(random.nextInt(70))(values(random.nextInt(values.length)))
      val found  = ends.isWithin(UTF8String.fromBytes(text))
      assert(found === text.exists(byte => byte == '\n' || byte == '\r'), text.mkString(" "))
    }
  }

  test("an end of several bytes is found where its bytes are, also next to incomplete characters") {
    val random = new Random(7)
    val bytes  = Array(0xc3, 0xe9, 0xf0, 0xff, 0x80, 'a'.toInt, '|'.toInt, 13, 10).map(_.toByte)
    for {
      end <- Seq("\r\n", "||", "|\n|")
      ends = LineEnds.of(Some(end))
      _ <- 1 to 5000
    } {
      val text   = Array.fill(random.nextInt(8))(bytes(random.nextInt(bytes.length)))
      val found  = ends.isWithin(UTF8String.fromBytes(text))
      val wanted = (text ++ end.getBytes).indexOfSlice(end.getBytes) < text.length
      assert(found === wanted, text.mkString(" "))
    }
  }

  test("a part of a larger array is searched without the bytes beside it") {
    val array = "\nwithin the lines, a text of more than thirty-two bytes\n".getBytes
    assert(!ends.isWithin(UTF8String.fromBytes(array, 1, array.length - 2)))
    assert(ends.isWithin(UTF8String.fromBytes(array, 1, array.length - 1)))
    assert(ends.isWithin(UTF8String.fromBytes(array, 0, array.length - 1)))
  }
}
