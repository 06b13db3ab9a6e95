// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import org.scalatest.funsuite.AnyFunSuite

import stoplog.rolling.RollReason

class NamesSuite extends AnyFunSuite {
  private val run = RunId("6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f")

  test("a run's uid is its first 48 bits, without dashes") {
    assert(run.uid === "6f1c2f3e8a4b")
    assert((1 to 100).map(_ => RunId.random()).forall(_.uid.matches("[0-9a-f]{12}")))
  }

  test("a part name consists of prefix, uid, number and suffix") {
    assert(PartNaming("part", ".json.gz").name(run, 17) === "part-6f1c2f3e8a4b-17.json.gz")
  }

  test("a part without a bucket is finished in the base path") {
    val part = Pending("", "p.txt", Closed("t"), 1, PartRows(1, 0, 0), RollReason.Size)
    assert(part.finishedPath === "p.txt")
    assert(part.copy(bucket = "a/b").finishedPath === "a/b/p.txt")
  }

  test("closing an open part keeps its recorded fields") {
    val open    = Open("b", "p", Resume("t"), 10, PartRows(2, 100, 200), LastWriter(3, Some(run)))
    val pending = Pending.of(open, open.handle, RollReason.Age)
    assert(pending === Pending("b", "p", Resume("t"), 10, PartRows(2, 100, 200), RollReason.Age))
    assert(pending.finishedPath === open.finishedPath)
  }

  test("a compacted part has a separate number series") {
    assert(PartNaming("part", ".csv").compacted(run, 3) === "part-6f1c2f3e8a4b-m3.csv")
  }

  test("the name of a part states its kind") {
    val naming = PartNaming("my-part", ".csv.gz")
    assert(PartNaming.kindOf(naming.name(run, 17)) === Some(PartNaming.Kind.Added))
    assert(PartNaming.kindOf("a/b/" + naming.compacted(run, 17)) === Some(PartNaming.Kind.Compacted))
    val replacing = naming.copy(kind = PartNaming.Kind.Replacing)
    assert(PartNaming.kindOf(s"a\nb/${replacing.name(run, 0)}") === Some(PartNaming.Kind.Replacing))
    assert(PartNaming.kindOf(PartNaming("part", "").compacted(run, 3)) === Some(PartNaming.Kind.Compacted))
  }

  test("a path that is not the path of a part has no kind") {
    val compacted = PartNaming("part", ".csv").compacted(run, 3)
    val others = Seq("", "part-1.csv", s"$compacted/file", "part-6f1c2f3e8a4b-x3.csv", "6f1c2f3e8a4b-m3.csv")
    assert(others.flatMap(PartNaming.kindOf(_)) === Nil)
  }

  test("a finished part is in its bucket, or in the base path") {
    assert(FinishedPart("", "p.txt", 1, 1, 1).path === "p.txt")
    assert(FinishedPart("a/b", "p.txt", 1, 1, 1).path === "a/b/p.txt")
    assert(FinishedPart("", "p.txt", 1, 1, 1).compactions === 0)
  }

  test("the size of an open part includes its spooled bytes") {
    val open = Open("b", "p", Resume("t"), 10, PartRows(2, 100, 200), LastWriter(3, Some(run)))
    assert(open.sizeBytes === 10)
    assert(open.copy(spooled = Spooled("", Vector(SpoolFile("f", 9, 0)), 7)).sizeBytes === 17)
  }

  test("spooled data is empty only without a note and files") {
    assert(Spooled.nothing.isEmpty && Spooled.nothing.storageBytes === 0)
    assert(!Spooled("note", Vector.empty, 0).isEmpty)
    assert(!Spooled("", Vector(SpoolFile("f", 9, 0)), 0).isEmpty)
  }

  test("a schema id is the first 48 bits of the SHA-256 of the schema") {
    assert(SchemaId.of("a") === SchemaId("ca978112ca1b"))
    assert(SchemaId.of("id INT") !== SchemaId.of("id BIGINT"))
  }
}
