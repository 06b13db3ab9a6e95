// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

/** Which splits a micro-batch takes within its limits. */
class AdmissionSuite extends AnyFunSuite {
  import AdmissionSuite._

  private val none = ReadLimits.none

  test("without limits, a micro-batch takes all splits") {
    assert(
      SourceDriver.Admission.take(new Listed(sized(4, 6, 1)), none).map(_.size.bytes) === Vector(4, 6, 1)
    )
    assert(SourceDriver.Admission.take(new Listed(Vector.empty), none) === Vector.empty)
  }

  test("the byte limit may be filled exactly, and a split beyond it ends the micro-batch") {
    val taken = Seq(11L -> 3, 10L -> 2, 9L -> 1, 4L -> 1, 3L -> 1)
    for ((limit, count) <- taken) {
      val listed = new Listed(sized(4, 6, 1))
      assert(SourceDriver.Admission.take(listed, none.copy(bytes = Some(limit))).size === count, limit)
      assert(listed.left.map(_.size.bytes) === Seq(4, 6, 1).drop(count), limit)
    }
  }

  test("the record limit may be filled exactly, and an unknown count is admitted only first") {
    def taken(limit: Long, records: Option[Long]*) = SourceDriver.Admission
      .take(new Listed(records.map(Piece(1, _)).toVector), none.copy(records = Some(limit)))
      .size
    assert(taken(5, Some(2), Some(3), Some(1)) === 2)
    assert(taken(4, Some(2), Some(3), Some(1)) === 1)
    assert(taken(4, Some(2), None, Some(1)) === 1)
    assert(taken(4, None) === 1)
  }

  test("the split limit bounds the number of splits") {
    for (limit <- 1 to 4)
      assert(
        SourceDriver.Admission
          .take(new Listed(sized(1, 1, 1)), none.copy(splits = Some(limit.toLong)))
          .size === limit.min(3)
      )
  }

  test("a divided split ends the micro-batch, and its rest is returned") {
    val listed = new Listed(sized(4, 6, 1)) {
      override def admit(split: Piece, budget: Budget): Admitted[Piece] =
        if (split.bytes == 6) Admitted.Part(Piece(2), SplitSize(2, None), Piece(4))
        else super.admit(split, budget)
    }
    assert(SourceDriver.Admission.take(listed, none).map(_.bytes) === Vector(4, 2))
    assert(listed.left.map(_.bytes) === Vector(4, 1))
  }

  test("discovery repeats while partial and ends without new splits or budget") {
    val rounds = Seq(sized(1, 1), sized(1), sized(), sized(1))
    val listed = new Listed(sized()) {
      override def discover(): Discovery = {
        left ++= rounds(looked)
        looked += 1
        Discovery.Partial
      }
    }
    assert(SourceDriver.Admission.take(listed, none).size === 3)
    assert(listed.looked === 3)
    val full = new Listed(sized(1, 1)) {
      override def discover(): Discovery = { looked += 1; Discovery.Partial }
    }
    assert(SourceDriver.Admission.take(full, none.copy(splits = Some(2))).size === 2)
    assert(full.looked === 1)
  }

  test("a batch query reads the splits of its start from a growing source") {
    val endless = new Listed(sized()) {
      private var end                    = Long.MaxValue
      private var at                     = 0L
      override def next(): Option[Piece] = Option.when(at < end.min(Endless)) { at += 1; Piece(at) }
      override def fixTarget(): Unit     = end = 3
    }
    val source = new SplitSource[Piece, Piece, Piece] {
      override def describe: String                       = "an endless source"
      override def splits: VersionedSerializer[Piece]     = fail("nothing is recorded")
      override def reader(): SplitReader[Piece, Piece]    = fail("nothing is read")
      override def emitter(): RecordEmitter[Piece, Piece] = fail("nothing is read")
      override def enumerator(of: EnumeratorContext[Piece]): SplitEnumerator[Piece] = endless
    }
    assert(SourceDriver.all(source, StateFiles.None).map(_.bytes) === Vector(1, 2, 3))
  }

  test("the lower of two limits applies") {
    val one = ReadLimits(Some(1), Some(20), None)
    val two = ReadLimits(Some(2), Some(10), None)
    assert(one.and(two) === ReadLimits(Some(1), Some(10), None))
    assert(two.and(one) === one.and(two))
    assert(one.and(none) === one)
    assert(none.and(two) === two)
  }

  test("after a divided or rejected split, the micro-batch takes no further splits") {
    for (
      ending <- Seq[Admitted[Piece]](
        Admitted.Part(Piece(2), SplitSize(2, None), Piece(4)),
        Admitted.Nothing()
      )
    ) {
      val listed = new Listed(sized(4, 6, 1)) {
        override def discover(): Discovery                                = { looked += 1; Discovery.Partial }
        override def admit(split: Piece, budget: Budget): Admitted[Piece] =
          if (split.bytes == 6) ending else super.admit(split, budget)
      }
      SourceDriver.Admission.take(listed, none)
      assert(listed.looked === 1)
    }
  }

  test("an exhausted limit ends the micro-batch before the next split is requested") {
    for (
      limits <- Seq(
        ReadLimits(None, Some(4), None),
        ReadLimits(None, Some(99), Some(4)),
        ReadLimits(None, None, Some(4))
      )
    ) {
      val asked  = mutable.ArrayBuffer.empty[Long]
      val listed = new Listed(Vector(Piece(4, Some(4)), Piece(0, Some(0)))) {
        override def next(): Option[Piece] = super.next().map { piece => asked += piece.bytes; piece }
      }
      assert(SourceDriver.Admission.take(listed, limits).size === 1)
      assert(asked === Seq(4))
    }
  }

  test("a budget is the remainder of the limits") {
    val budget = Budget(ReadLimits(None, Some(10), Some(5)), usedBytes = 4, usedRecords = 3)
    assert((budget.bytes, budget.records) === ((Some(6), Some(2))))
    assert(budget.holds(SplitSize(6, Some(2))))
    assert(!budget.holds(SplitSize(7, Some(2))) && !budget.holds(SplitSize(6, Some(3))))
    assert(!budget.isUnused)
    assert(!Budget(none, 1, 0).isUnused && !Budget(none, 0, 1).isUnused && Budget(none, 0, 0).isUnused)
  }
}

object AdmissionSuite {
  private final val Endless = 1000L

  private final case class Piece(bytes: Long, records: Option[Long] = None) extends Split {
    override def describe: String = s"$bytes bytes"
    override def size: SplitSize  = SplitSize(bytes, records)
  }

  private def sized(bytes: Long*): Vector[Piece] = bytes.map(Piece(_)).toVector

  private class Listed(splits: Vector[Piece]) extends SplitEnumerator[Piece] {
    val left: mutable.ArrayDeque[Piece] = mutable.ArrayDeque.from(splits)
    var looked: Int                     = 0

    override def discover(): Discovery            = { looked += 1; Discovery.Complete }
    override def next(): Option[Piece]            = left.removeHeadOption()
    override def takeBack(split: Piece): Unit     = left.prepend(split)
    override def snapshot(end: Long): Array[Byte] = Array.emptyByteArray
    override def fixTarget(): Unit                = ()
    override def outstanding: Outstanding         = Outstanding.none
    override def close(): Unit                    = ()
  }
}
