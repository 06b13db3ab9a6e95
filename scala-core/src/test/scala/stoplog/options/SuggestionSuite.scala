// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class SuggestionSuite extends AnyFunSuite {

  private val known = SinkOptionRegistry.all.map(_.key)

  test("a slip, a swap and another case find the name") {
    assert(Suggestion.of("maxPartSzie", known) === Some("maxPartSize"))
    assert(Suggestion.of("SINK_ID", known) === Some("sinkId"))
    assert(Suggestion.of("maxRecordsPerFile", known) === Some("maxRecordsPerPart"))
  }

  test("a shortened name finds the whole one") {
    assert(Suggestion.of("partSize", known) === Some("maxPartSize"))
  }

  test("two slips are forgiven, and of a long name a third of its letters; one more is not") {
    assert(Suggestion.of("xxpath", Seq("path")) === Some("path"))
    assert(Suggestion.of("xxxpath", Seq("path")) === None)
    assert(Suggestion.of("xxxformat", Seq("format")) === Some("format"))
    assert(Suggestion.of("xxxxformat", Seq("format")) === None)
  }

  test("a name that is like no other finds none") {
    assert(Suggestion.of("kafka.bootstrap.servers", known) === None)
    assert(Suggestion.of("x", known) === None)
  }

  test("a third of the letters may be wrong, and two in any case, but not all of them") {
    val cases = Seq(
      ("abcdefgh", "abcdefxx", true),
      ("abcdefgh", "abcdexxx", false),
      ("abcdefghi", "abcdefxxx", true),
      ("abcdefghi", "abcdexxxx", false),
      ("abc", "abcxx", true),
      ("abc", "axx", true),
      ("ab", "xx", false),
      ("ab", "ax", true),
      ("a", "x", false),
      ("abcdefgh", "abcdef", true),
      ("abcdefgh", "cdefgh", true),
      ("abcdefgh", "defgh", false)
    )
    for ((asked, candidate, found) <- cases)
      assert(Suggestion.of(asked, Seq(candidate)).isDefined === found, s"$asked for $candidate")
  }

  test("two neighbours that changed places are one slip") {
    assert(Suggestion.of("abcdefgh", Seq("badcefgh")) === Some("badcefgh"))
    assert(Suggestion.of("abcdefgh", Seq("badcfegh")) === None)
    assert(Suggestion.of("abcdefgh", Seq("abcdfehg")) === Some("abcdfehg"))
  }

  test("of several the nearest one is meant, and the first by name of those that are as near") {
    assert(Suggestion.of("abcdef", Seq("abcxxf", "abcdex", "abcdxx")) === Some("abcdex"))
    assert(Suggestion.of("abcdef", Seq("abcdez", "abcdey")) === Some("abcdey"))
  }

  test("the suffix of compressed files finds their codec") {
    val codecs = Seq("none", "gzip", "zstd", "lz4", "snappy", "bzip2")
    for (
      (suffix, codec) <- Seq(
        "gz"  -> "gzip",
        "GZ"  -> "gzip",
        "zst" -> "zstd",
        "bz2" -> "bzip2",
        "sn"  -> "snappy"
      )
    )
      assert(Suggestion.of(suffix, codecs) === Some(codec), suffix)
    assert(Suggestion.of("g", codecs) === None)
    assert(Suggestion.of("ab", Seq("abcdef", "abxyz")) === None, "it may be either")
  }

  test("a part of a name means the shortest name with it, from four letters on") {
    assert(Suggestion.of("SIZE", Seq("aLongNameWithSize", "maxPartSize", "other")) === Some("maxPartSize"))
    assert(Suggestion.of("siz", Seq("aLongNameWithSize")) === None)
  }
}
