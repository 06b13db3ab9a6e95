// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class ByteSizeSuite extends AnyFunSuite {

  test("accepts sizes in Spark's notation and in common notations") {
    for (
      text <- Seq(
        "134217728", "134217728b", "128m", "128M", "128mb", "128MB", "128 MB", "128MiB", " 128 MiB "
      )
    )
      assert(OptionType.ByteSize.parse(text) === Right(134217728L), text)
  }

  test("each unit is 1024 times the previous unit") {
    val units = Seq("b", "k", "m", "g", "t", "p")
    for ((unit, i) <- units.zipWithIndex)
      assert(OptionType.ByteSize.parse(s"3$unit") === Right(3L << (10 * i)))
  }

  test("rejects text other than a whole number with a unit") {
    for (text <- Seq("", "m", "1.5g", "-1m", "128 q", "1 2m", "128bb", "1e6", "١٢m"))
      assert(OptionType.ByteSize.parse(text).left.exists(_.contains("is not a size")), text)
  }

  test("rejects zero and sizes beyond the range") {
    assert(OptionType.ByteSize.parse("0m").left.exists(_.contains("more than 0")))
    assert(OptionType.ByteSize.parse("8192p").left.exists(_.contains("larger than any file")))
    assert(
      OptionType.ByteSize.parse("99999999999999999999999").left.exists(_.contains("larger than any file"))
    )
  }

  test("a rendered size parses to the same value") {
    for (bytes <- Seq(1L, 1023L, 1024L, 128L << 20, (1L << 30) + 1, 5L << 50, Long.MaxValue))
      assert(OptionType.ByteSize.parse(OptionType.ByteSize.render(bytes)) === Right(bytes))
    val texts = Seq(
      1L           -> "1",
      1023L        -> "1023",
      1024L        -> "1k",
      1025L        -> "1025",
      (3L << 20)   -> "3m",
      (128L << 20) -> "128m"
    )
    for ((bytes, text) <- texts) assert(OptionType.ByteSize.render(bytes) === text)
  }
}
