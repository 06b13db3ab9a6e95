// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{FinishedPart, SchemaId}

class CompactionPolicySuite extends AnyFunSuite {
  private val policy =
    CompactionPolicy(smallerThanBytes = 50, targetBytes = 100, afterEpochs = 10, minFiles = 2)

  private def part(
      name: String,
      bytes: Long = 10,
      epoch: Long = 0,
      compactions: Int = 0,
      bucket: String = "b"
  ) =
    FinishedPart(bucket, name, bytes, 1, epoch, compactions)

  private def due(epoch: Long, parts: FinishedPart*): CompactionPolicy.Selection =
    policy.due(parts.toVector, epoch, closing = _ => false)

  private val nothing = CompactionPolicy.Selection(Vector.empty, Vector.empty)

  test("a part is small if its size is positive and below the limit") {
    val sizes = Seq(0L, 1L, 49L, 50L)
    assert(sizes.filter(bytes => policy.isSmall(Samples.done("p", sizeBytes = bytes))) === Seq(1L, 49L))
  }

  test("parts wait until the oldest reaches the maximum age") {
    val (one, other) = (part("1"), part("2", epoch = 5))
    assert(due(9, one, other) === nothing)
    assert(due(10, one, other).chosen === Vector(one, other))
  }

  test("parts are compacted early at the target size, and no compaction exceeds the target size") {
    val parts = (1 to 4).map(n => part(s"$n", bytes = 40))
    assert(due(0, parts.take(2): _*) === nothing)
    assert(due(0, parts: _*).chosen === parts.take(2))
  }

  test("a part without a partner at the maximum age is dropped from the state") {
    val alone = part("1")
    assert(
      due(10, alone, part("2", bucket = "c", epoch = 9)) === CompactionPolicy.Selection(
        Vector.empty,
        Vector(alone)
      )
    )
  }

  test("a compacted part waits eight times as long, and then includes younger parts") {
    val merged = part("m", compactions = 1)
    val fresh  = part("1", epoch = 79)
    assert(due(79, merged, fresh) === nothing)
    assert(due(80, merged, fresh).chosen === Vector(merged, fresh))
    val old = Seq(part("1", epoch = 60), part("2", epoch = 61))
    assert(due(70, merged +: old: _*).chosen === old)
  }

  test("parts of different buckets or schemas are not compacted together") {
    val one   = part("1")
    val other = part("2").copy(schema = Some(SchemaId("other")))
    assert(due(10, one, other, part("3", bucket = "c")).chosen === Vector.empty)
  }

  test("in a closing bucket, two parts are compacted at once, and a single part stays") {
    val parts = Vector(part("1"), part("2"), part("3", bucket = "c"))
    assert(policy.due(parts, 0, closing = _ => true).chosen === parts.take(2))
    assert(policy.due(parts.drop(1), 0, closing = _ => true) === nothing)
  }

  test("a compaction has at least the policy's minimum and at most 256 parts") {
    val three = policy.copy(minFiles = 3)
    assert(three.due(Vector(part("1"), part("2")), 10, _ => false).chosen === Vector.empty)
    val many = (1 to 1000).toVector.map(n => part(s"$n", bytes = 0))
    assert(policy.due(many, 0, _ => false).chosen.size === 256)
  }

  test("the due time does not overflow after 1000 compactions of a part") {
    assert(
      due(1L << 40, part("1", compactions = 1000), part("2", compactions = 1000)).chosen === Vector.empty
    )
  }

  test("parts whose sizes sum exactly to the target size are all compacted") {
    val parts = Seq(part("1", bytes = 40), part("2", bytes = 40), part("3", bytes = 20))
    assert(due(0, parts: _*).chosen === parts)
  }

  test("a compacted part is combined with younger parts that are due as well") {
    val parts = Seq(part("m", compactions = 1), part("1"))
    assert(due(80, parts: _*) === CompactionPolicy.Selection(parts.toVector, Vector.empty))
  }

  test("of several due compactions, the compaction with the first part runs first") {
    val other = Some(SchemaId("other"))
    val ours  = Seq(part("1"), part("4"))
    val mixed = Seq(part("2"), part("3")).map(_.copy(schema = other))
    assert(due(10, ours ++ mixed: _*).chosen === ours)
    assert(due(10, mixed ++ ours: _*).chosen === ours)
  }
}
