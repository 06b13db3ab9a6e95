// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.time.{Instant, ZoneId}

import scala.util.Try

import org.apache.hadoop.fs.{GlobFilter, Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.{HiddenNames, SourceFile}

/** Which names belong to a source. */
class PathRulesSuite extends AnyFunSuite {
  private val utc = ZoneId.of("UTC")

  private def glob(text: String): Glob = Glob.parse(text).fold(fail(_), identity)

  test("a pattern matches names like Hadoop's file systems") {
    val cases = Seq(
      ("a*", Seq("a", "ab", "a.b"), Seq("ba")),
      ("a?c", Seq("abc"), Seq("ac", "abbc")),
      ("[a-c]x", Seq("ax", "bx", "cx"), Seq("dx", "-x", "x")),
      ("[^a]x", Seq("bx"), Seq("ax")),
      ("{one,two}.txt", Seq("one.txt", "two.txt"), Seq("one,two.txt", "one", "oneXtxt")),
      ("{a,{b,c}d}e", Seq("ae", "bde", "cde"), Seq("be", "ade")),
      ("a,b", Seq("a,b"), Seq("a", "b")),
      ("^a-b", Seq("^a-b"), Seq("a-b")),
      ("a[a-c^]b^", Seq("abb^", "a^b^"), Seq("abb", "a-b^")),
      ("[!a-c]x", Seq("dx", "!x"), Seq("ax", "bx")),
      ("[*]x", Seq("*x"), Seq("ax", "x")),
      ("[]]x", Seq("]x"), Seq("ax")),
      ("a}b", Seq("a}b"), Seq("ab")),
      ("\\*\\{", Seq("*{"), Seq("a{", "\\*{")),
      ("a.b", Seq("a.b"), Seq("axb")),
      ("a+(b)|$", Seq("a+(b)|$"), Seq("aab")),
      ("{a}}", Seq("a}"), Seq("a"))
    )
    for ((text, matching, others) <- cases) {
      for (name <- matching) assert(glob(text).matches(name), s"$text of $name")
      for (name <- others) assert(!glob(text).matches(name), s"$text of $name")
      assert(glob(text).toString === text)
    }
  }

  test("rejects invalid patterns") {
    for (text <- Seq("a{b", "{a,{b}", "[a", "*\\"))
      assert(Glob.parse(text).left.exists(_.contains("is not a pattern")), text)
  }

  test("patterns match the same names as Spark's patterns, or are rejected as Spark's are") {
    val random                              = new scala.util.Random(43)
    def text(characters: String, most: Int) =
      Seq.fill(random.nextInt(most) + 1)(characters(random.nextInt(characters.length))).mkString
    for (_ <- 1 to 20000) {
      val pattern = text("ab-!^*?[]{},.\\+($", 8)
      val spark   = Try(new GlobFilter(pattern)).toOption
      val ours    = Glob.parse(pattern).toOption
      for {
        name <- Seq.fill(5)(text("ab-!^*?[]{},.+($", 5)).filterNot(Set(".", ".."))
        if Glob.isPattern(pattern.replaceAll("\\\\.", ""))
      } {
        assert(ours.isDefined === spark.isDefined, pattern)
        for {
          one   <- ours
          other <- spark
        }
          assert(one.matches(name) === other.accept(new HadoopPath("/in", name)), s"$pattern of $name")
      }
    }
  }

  test("a pattern with many stars takes time linear in the length of the name") {
    val stars = glob("*a" * 30 + "b")
    assert(!stars.matches("a" * 20000)) // a backtracking matcher never ends
  }

  test("isPattern recognizes unescaped pattern characters") {
    for (text <- Seq("*", "a?", "[a]", "{a}")) assert(Glob.isPattern(text), text)
    for (text <- Seq("", "a", "a]", "a}", "a\\b")) assert(!Glob.isPattern(text), text)
  }

  test("hidden names start with a dot or underscore, except partition columns") {
    for (name <- Seq(".a", "_a", "_", ".a=1")) assert(HiddenNames.isHidden(name), name)
    for (name <- Seq("a", "_a=1", "a_", "a.b")) assert(!HiddenNames.isHidden(name), name)
  }

  test("rules take all visible files, and flat rules enter no directories") {
    val all = PathRules.all.in("a/b")
    assert(all.enters("c") && all.takes("c") && all.enters("_a=1"))
    assert(!all.enters("_c") && !all.takes(".c"))
    val flat = PathRules.all.copy(nesting = Nesting.Flat).in("")
    assert(flat.takes("c") && !flat.enters("c"))
  }

  test("rules enter only configured paths and take all files below") {
    val rules = PathRules(Vector(Vector(glob("a*"), glob("x")), Vector(glob("b"))), None, Nesting.Recursive)
    val root  = rules.in("")
    assert(root.enters("a1") && root.enters("b") && !root.enters("c"))
    assert(root.takes("b") && !root.takes("a1"), "b may be a file")
    val a = rules.in("a1")
    assert(a.enters("x") && a.takes("x") && !a.enters("y") && !a.takes("y"))
    assert(rules.in("a1/x").takes("anything") && rules.in("a1/x").enters("anything"))
    assert(rules.in("b").takes("anything") && !rules.in("c").takes("anything"))
  }

  test("hidden names are taken if the pattern spells out the prefix") {
    val rules = PathRules(Vector(Vector(glob("_a*"))), None, Nesting.Recursive).in("")
    assert(rules.enters("_ab") && rules.takes("_ab"))
    val any = PathRules(Vector(Vector(glob("*"))), None, Nesting.Recursive).in("")
    assert(any.enters("ab") && !any.enters("_ab") && !any.takes(".ab"))
  }

  test("a name rule applies to files only") {
    val rules = PathRules.all.copy(names = Some(glob("*.txt"))).in("")
    assert(rules.takes("a.txt") && !rules.takes("a.csv") && rules.enters("a.csv"))
  }

  test("date rules apply to directories below the configured paths") {
    val range = DateRange(pattern("yyyy-MM-dd"), Some(Instant.parse("2026-01-02T00:00:00Z")), None, None)
    val rules = PathRules(Vector(Vector(glob("in"))), None, Nesting.Recursive, Some(range))
    assert(rules.in("").enters("in"))
    assert(rules.in("in").enters("2026-01-02") && !rules.in("in").enters("2026-01-01"))
  }

  test("a date spans the finest field of its pattern") {
    val spans = Seq(
      ("yyyy", "2026", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
      ("uuuu/MM", "2026/02", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
      ("yyyy/LL/dd", "2026/02/28", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"),
      ("yyyy-MM-dd--HH", "2026-02-28--23", "2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"),
      ("yyyyMMddHHmm", "202602282359", "2026-02-28T23:59:00Z", "2026-03-01T00:00:00Z"),
      ("yyyyMMddHHmmss", "20260228235959", "2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z"),
      ("'Hms'yyyy", "Hms2026", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
    )
    for ((text, name, begin, end) <- spans)
      assert(
        pattern(text).span(name.split('/').toVector) === Some((Instant.parse(begin), Instant.parse(end))),
        text
      )
    assert(pattern("yyyy/MM").span(Vector("2026")).map(_._2) === Some(Instant.parse("2027-01-01T00:00:00Z")))
    assert(pattern("yyyy/MM").span(Vector("2026", "02", "03")) === None)
    assert(pattern("yyyy/MM").span(Vector.empty) === None)
  }

  test("a date range admits any overlap with its interval") {
    def admits(from: Option[String], until: Option[String]) =
      DateRange(pattern("yyyy-MM-dd"), from.map(Instant.parse(_)), until.map(Instant.parse(_)), None)
        .admits(Vector("2026-01-02"))
    assert(admits(Some("2026-01-02T23:59:59Z"), None) && !admits(Some("2026-01-03T00:00:00Z"), None))
    assert(admits(None, Some("2026-01-02T00:00:01Z")) && !admits(None, Some("2026-01-02T00:00:00Z")))
    assert(!admits(Some("2026-01-03T00:00:00Z"), Some("2026-01-04T00:00:00Z")))
  }

  test("a moving window starts at its age or at the start of the range") {
    val now   = Instant.parse("2026-01-10T00:00:00Z")
    val early = Instant.parse("2026-01-01T00:00:00Z")
    val range = DateRange(pattern("yyyy"), Some(early), None, Some(86400000L))
    assert(range.at(now.toEpochMilli).from === Some(Instant.parse("2026-01-09T00:00:00Z")))
    assert(range.copy(within = Some(86400000L * 365)).at(now.toEpochMilli).from === Some(early))
    assert(range.copy(within = None).at(now.toEpochMilli).from === Some(early))
    assert(PathRules.all.copy(dates = Some(range)).at(now.toEpochMilli).dates.flatMap(_.from) !== Some(early))
  }

  test("patterns with equal text are equal") {
    assert(pattern("yyyy") === pattern("yyyy"))
    assert(pattern("yyyy") !== pattern("yyyy/MM"))
    assert(pattern("yyyy").hashCode === pattern("yyyy").hashCode)
    assert((pattern("yyyy"): Any) !== "yyyy")
    assert(pattern("yyyy").toString === "yyyy")
  }

  test("a directory name provides column and value") {
    val values = DirectoryNames.values("a=1/b=/=c/d/e=f=g")
    assert(values === Vector("a" -> "1", "b" -> "", "e" -> "f=g"))
    assert(DirectoryNames.of(SourceFile("a/b/c", 1, 1)) === "a/b")
    assert(DirectoryNames.of(SourceFile("c", 1, 1)) === "")
  }

  test("sample finds a directory with a file, or the deepest, without listing everything") {
    val files = new MemoryFiles
    for (n <- 100 to 299) files.put(s"a=$n/b/_hidden", "1", 1)
    assert(DirectoryNames.sample(files, PathRules.all) === "a=100/b")
    assert(files.listings === 100)
    files.put("a=105/c=1/f", "1", 1)
    assert(DirectoryNames.sample(files, PathRules.all) === "a=105/c=1")
    files.put("f", "1", 1)
    assert(DirectoryNames.sample(files, PathRules.all) === "")
  }

  test("path hashes are in unsigned order, like the state files") {
    val ordered = Seq(PathHash(0, 0), PathHash(0, 1), PathHash(0, -1), PathHash(1, 0), PathHash(-1, 0))
    for {
      (a, i) <- ordered.zipWithIndex
      (b, j) <- ordered.zipWithIndex
    }
      assert(a.compare(b).sign === i.compare(j).sign, s"$a and $b")
    assert(PathHash.of("a") === PathHash(0xca978112ca1bbdcaL, 0xfac231b3))
  }

  test("a separator is self-synchronizing if no separator starts inside another") {
    for (text <- Seq("\n", "ab", "\r\n", "aab")) assert(separator(text).isSelfSynchronizing, text)
    for (text <- Seq("aa", "aba", "abab")) assert(!separator(text).isSelfSynchronizing, text)
    assert(separator("abc").lookBack === 3)
  }

  test("a file is ready at the minimum age, and each marker has a data file") {
    val file = SourceFile("f", 1, modifiedMillis = 100)
    assert(Readiness(50).isOldEnough(file, 150) && !Readiness(50).isOldEnough(file, 149))
    val marker = ReadyMarker.PerFile("x-", ".ok")
    assert(marker.isMarker("x-a.ok") && marker.fileOf("x-a.ok") === "a")
    for (name <- Seq("x-.ok", "a.ok", "x-a", "x-a.ok2")) assert(!marker.isMarker(name), name)
  }

  private def pattern(text: String): DatePattern = DatePattern.parse(text, utc).fold(fail(_), identity)

  private def separator(text: String): LineReader.Separator =
    LineReader.Separator.of(text, java.nio.charset.StandardCharsets.UTF_8)
}
