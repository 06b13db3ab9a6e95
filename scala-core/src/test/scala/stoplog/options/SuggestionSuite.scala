// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class SuggestionSuite extends AnyFunSuite {

  private val known = SinkOptionRegistry.all.map(_.key)

  test("suggests names for typos, transpositions and other cases") {
    assert(Suggestion.of("maxPartSzie", known) === Some("maxPartSize"))
    assert(Suggestion.of("SINK_ID", known) === Some("sinkId"))
    assert(Suggestion.of("maxRecordsPerFile", known) === Some("maxRecordsPerPart"))
  }

  test("suggests the full name for a shortened name") {
    assert(Suggestion.of("partSize", known) === Some("maxPartSize"))
  }

  test("tolerates two typos, or a third of a long name's letters") {
    assert(Suggestion.of("xxpath", Seq("path")) === Some("path"))
    assert(Suggestion.of("xxxpath", Seq("path")) === None)
    assert(Suggestion.of("xxxformat", Seq("format")) === Some("format"))
    assert(Suggestion.of("xxxxformat", Seq("format")) === None)
  }

  test("suggests nothing for an unrelated name") {
    assert(Suggestion.of("kafka.bootstrap.servers", known) === None)
    assert(Suggestion.of("x", known) === None)
  }

  test("tolerates a third of the letters, at least two, but not all") {
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

  test("an adjacent transposition counts as a single typo") {
    assert(Suggestion.of("abcdefgh", Seq("badcefgh")) === Some("badcefgh"))
    assert(Suggestion.of("abcdefgh", Seq("badcfegh")) === None)
    assert(Suggestion.of("abcdefgh", Seq("abcdfehg")) === Some("abcdfehg"))
  }

  test("suggests the nearest name, and the alphabetically first among equals") {
    assert(Suggestion.of("abcdef", Seq("abcxxf", "abcdex", "abcdxx")) === Some("abcdex"))
    assert(Suggestion.of("abcdef", Seq("abcdez", "abcdey")) === Some("abcdey"))
  }

  test("the suffix of compressed files suggests the codec") {
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

  test("a fragment of four letters or more suggests the shortest name that contains the fragment") {
    assert(Suggestion.of("SIZE", Seq("aLongNameWithSize", "maxPartSize", "other")) === Some("maxPartSize"))
    assert(Suggestion.of("siz", Seq("aLongNameWithSize")) === None)
  }
}
