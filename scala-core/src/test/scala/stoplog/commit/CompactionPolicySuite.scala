// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{FinishedPart, SchemaId}

class CompactionPolicySuite extends AnyFunSuite {
  private val policy =
    CompactionPolicy(smallerThanBytes = 50, targetBytes = 100, afterEpochs = 10, minFiles = 2)

  private def part(name: String, bytes: Long = 10, epoch: Long = 0, merges: Int = 0, bucket: String = "b") =
    FinishedPart(bucket, name, bytes, 1, epoch, merges)

  private def due(epoch: Long, parts: FinishedPart*): CompactionPolicy.Selection =
    policy.due(parts.toVector, epoch, closing = _ => false)

  private val nothing = CompactionPolicy.Selection(Vector.empty, Vector.empty)

  test("small is what has bytes, and fewer than the limit") {
    val sizes = Seq(0L, 1L, 49L, 50L)
    assert(sizes.filter(bytes => policy.isSmall(Samples.done("p", sizeBytes = bytes))) === Seq(1L, 49L))
  }

  test("parts wait until the oldest has waited for long enough") {
    val (one, other) = (part("1"), part("2", epoch = 5))
    assert(due(9, one, other) === nothing)
    assert(due(10, one, other).merge === Vector(one, other))
  }

  test("or until they have the size together, of which no merge has more") {
    val parts = (1 to 4).map(n => part(s"$n", bytes = 40))
    assert(due(0, parts.take(2): _*) === nothing)
    assert(due(0, parts: _*).merge === parts.take(2))
  }

  test("a part that found no other in time is not remembered") {
    val alone = part("1")
    assert(
      due(10, alone, part("2", bucket = "c", epoch = 9)) === CompactionPolicy.Selection(
        Vector.empty,
        Vector(alone)
      )
    )
  }

  test("a merged part waits eight times as long, and takes the younger ones along") {
    val merged = part("m", merges = 1)
    val fresh  = part("1", epoch = 79)
    assert(due(79, merged, fresh) === nothing)
    assert(due(80, merged, fresh).merge === Vector(merged, fresh))
    val old = Seq(part("1", epoch = 60), part("2", epoch = 61))
    assert(due(70, merged +: old: _*).merge === old)
  }

  test("parts of other buckets or columns do not go together") {
    val one   = part("1")
    val other = part("2").copy(schema = Some(SchemaId("other")))
    assert(due(10, one, other, part("3", bucket = "c")).merge === Vector.empty)
  }

  test("in a bucket that closes, two parts wait for no others, and one stays") {
    val parts = Vector(part("1"), part("2"), part("3", bucket = "c"))
    assert(policy.due(parts, 0, closing = _ => true).merge === parts.take(2))
    assert(policy.due(parts.drop(1), 0, closing = _ => true) === nothing)
  }

  test("a merge has as many parts as its policy asks for, and not more than can be opened at once") {
    val three = policy.copy(minFiles = 3)
    assert(three.due(Vector(part("1"), part("2")), 10, _ => false).merge === Vector.empty)
    val many = (1 to 1000).toVector.map(n => part(s"$n", bytes = 0))
    assert(policy.due(many, 0, _ => false).merge.size === 256)
  }

  test("however often a part has been merged, its time can be told") {
    assert(due(1L << 40, part("1", merges = 1000), part("2", merges = 1000)).merge === Vector.empty)
  }

  test("what makes the target's size exactly is merged, all of it") {
    val parts = Seq(part("1", bytes = 40), part("2", bytes = 40), part("3", bytes = 20))
    assert(due(0, parts: _*).merge === parts)
  }

  test("a part that has been merged before goes with younger ones that have waited as well") {
    val parts = Seq(part("m", merges = 1), part("1"))
    assert(due(80, parts: _*) === CompactionPolicy.Selection(parts.toVector, Vector.empty))
  }

  test("of several merges that are due, that with the first part comes first") {
    val other = Some(SchemaId("other"))
    val ours  = Seq(part("1"), part("4"))
    val mixed = Seq(part("2"), part("3")).map(_.copy(schema = other))
    assert(due(10, ours ++ mixed: _*).merge === ours)
    assert(due(10, mixed ++ ours: _*).merge === ours)
  }
}
