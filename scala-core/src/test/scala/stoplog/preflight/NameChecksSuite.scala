// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.PartNaming
import stoplog.storage.PartLayout

class NameChecksSuite extends AnyFunSuite {

  private def buckets(ids: Seq[String], columns: Seq[String]): Finding =
    NameChecks.buckets(ids, columns, id => Option.when(id.contains(':'))("there is a colon in it"))

  test("a suffix without the compression gives a warning with the right suffix") {
    val found = NameChecks.suffix(Some(".log"), ".json.gz", ".gz")
    assert(found.level == "warning")
    assert(found.now.contains("'.log.gz'") && found.now.contains("'.json.gz'"))
  }

  test("a matching suffix, a default suffix and any uncompressed suffix are accepted") {
    assert(NameChecks.suffix(Some(".log.gz"), ".json.gz", ".gz").level == "ok")
    assert(NameChecks.suffix(None, ".json.gz", ".gz").what.contains("'.json.gz'"))
    assert(NameChecks.suffix(Some(""), ".json", "").level == "ok")
  }

  test("a suffix hidden from Spark gives a warning") {
    assert(NameChecks.suffix(Some(".a._COPYING_"), ".txt", "").what.contains("Spark skips such files"))
  }

  test("lists a few buckets of the first rows") {
    val found = buckets(Seq("a", "a", "") ++ ('b' to 'h').map(_.toString), Seq("id"))
    assert(found.what == "The first 10 rows go to 9 buckets: a, the path itself, b, c, d, ….")
  }

  for (id <- Seq("../elsewhere", "_hidden", "a//b", "/abs", "a\u0007", "12:30"))
    test(s"a hidden or outside bucket is a problem: ${id.replace('\u0007', '?')}") {
      val found = buckets(Seq("good", id), Nil)
      assert(found.level == "problem")
      assert(found.what.contains("STOPLOG_BUCKET_ID") && found.now.nonEmpty)
    }

  test("directories named like a column are accepted unless the files contain the column") {
    val twice = buckets(Seq("Day=1/k=2"), Seq("day", "v"))
    assert(twice.level == "warning" && twice.now.contains("partitionBy to Day"))
    assert(buckets(Seq("day=1"), Seq("v")).level == "ok")
  }

  test("buckets not discovered by Spark give a one-line warning with discoverable layouts") {
    val hidden = NameChecks.readers(Seq("dt=2026-01-31/hour=20", "2026-01-31--20"))
    assert(hidden.level == "warning" && hidden.name == "readers" && hidden.what.contains("'2026-01-31--20'"))
    val ways = Seq("bucketFormat to 'dt='yyyy-MM-dd'/hour='HH", "partitionBy", "concat('day=', date(at))")
    assert(ways.forall(hidden.now.contains) && !(hidden.what + hidden.now).contains("\n"))
    assert(NameChecks.readers(Seq("null")).now.contains("coalesce"))
    assert(NameChecks.readers(Seq("dt=2026-01-31/hour=20")).what.endsWith("as columns: dt, hour."))
    assert(NameChecks.readers(Seq("")).level == "ok")
  }

  test("reports data that readers would not find or would read differently") {
    assert(NameChecks.unreadable(Seq("dt=1/hour=2"), Seq("id")).isEmpty)
    assert(NameChecks.unreadable(Seq("dt=1/hour=2"), Seq("Hour")).exists(_.now.contains("bucketFormat")))
    assert(NameChecks.unreadable(Seq("dt=1/2"), Seq("dt")).exists(_.name == "readers"))
  }

  test("other sinks under the path give a warning only with different content") {
    assert(NameChecks.neighbours("json", Map.empty).level == "ok")
    assert(
      NameChecks.neighbours("json", Map("b" -> Some("json"), "a" -> None)).what.contains("a log of a, b")
    )
    val mixed = NameChecks.neighbours("json", Map("b" -> Some("csv"), "a" -> Some("json")))
    assert(mixed.level == "warning" && mixed.what.contains("a log of b,"))
  }

  test("a checkpoint that the start accepts gives no warning, known or not") {
    for (location <- Seq(Some("/data/out/_checkpoint"), None))
      assert(NameChecks.checkpoint(location).level == "ok")
  }

  test("example names equal the sink's names") {
    val naming = PartNaming("part", ".json")
    val staged = ExampleName.of("main", naming, PartLayout.Staging("main"), "day=1")
    assert(staged.map(_.kind) == Vector("finished", "open", "log"))
    assert(staged.head.path == "day=1/part-4f6c2a81b0d3-0.json")
    assert(
      staged(1).path ==
        "_stoplog/main/open/day=1/.part-4f6c2a81b0d3-0.json.inprogress.4f6c2a81b0d3-9e1d05c7a2f40b36"
    )
    assert(staged(2).path == "_stoplog/main/log/00000000000000000000.commit")
    val beside = PartLayout.InBucket("main", "_", ".in-progress", "_", ".pending")
    assert(
      ExampleName.of("main", naming, beside, "")(1).path.startsWith("_part-4f6c2a81b0d3-0.json.in-progress.")
    )
  }
}
