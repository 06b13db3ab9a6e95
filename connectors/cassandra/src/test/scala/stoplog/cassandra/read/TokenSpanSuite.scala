// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import scala.util.Random

import org.scalactic.Tolerance._
import org.scalatest.funsuite.AnyFunSuite

/** Every token in one split, whatever the ring looks like. */
class TokenSpanSuite extends AnyFunSuite {
  private val Min = Long.MinValue
  private val Max = Long.MaxValue

  /** Whether the spans, in any order, are all tokens, each once. */
  private def isRing(spans: Seq[TokenSpan]): Boolean = {
    val sorted = spans.sortBy(_.after)
    sorted.head.after == Min && sorted.last.until == Max &&
    sorted.zip(sorted.drop(1)).forall { case (left, right) => left.until == right.after }
  }

  /** The ranges of nodes with these tokens, as the driver has them: one of them goes around the end. */
  private def rangesOf(tokens: Seq[Long]): Seq[(Long, Long)] = tokens.zip(tokens.drop(1) :+ tokens.head)

  test("a range across the end of the ring becomes two spans") {
    assert(TokenSpan.of(5, -5) === Seq(TokenSpan(5, Max), TokenSpan(Min, -5)))
    assert(TokenSpan.of(5, Min) === Seq(TokenSpan(5, Max)))
    assert(TokenSpan.of(Max, 7) === Seq(TokenSpan(Min, 7)))
    assert(TokenSpan.of(Min, Min) === Seq(TokenSpan.Ring))
    assert(isRing(TokenSpan.of(42, 42)))
  }

  test("pieces cover their span and have nearly equal width") {
    val random = new Random(1)
    for (_ <- 1 to 500) {
      val Seq(after, until) = Seq.fill(2)(random.nextLong()).sorted: @unchecked
      if (after < until) {
        val span   = TokenSpan(after, until)
        val count  = 1 + random.nextInt(span.mostPieces.min(50))
        val pieces = (0 until count).map(span.piece(_, count))
        assert(pieces.head.after === after)
        assert(pieces.last.until === until)
        assert(pieces.zip(pieces.drop(1)).forall { case (left, right) => left.until == right.after })
        assert(pieces.map(_.width).max - pieces.map(_.width).min <= 1)
      }
    }
  }

  test("splits cover all tokens of random rings exactly once") {
    val random = new Random(2)
    for (_ <- 1 to 400) {
      val edges  = Seq(Min, Max, Min + 1, Max - 1, 0L).filter(_ => random.nextInt(4) == 0)
      val tokens = (Seq.fill(1 + random.nextInt(40))(random.nextLong()) ++ edges).distinct.sorted
      val ring   = rangesOf(tokens).toVector.flatMap { case (start, end) =>
        TokenSpan.of(start, end).map(SplitPlan.Owned(_, Vector(s"host${random.nextInt(3)}")))
      }
      assert(isRing(ring.map(_.span)))
      val bytes = Option.when(random.nextBoolean())((1L << random.nextInt(50)) + 1)
      val plan  = SplitPlan.of(ring, bytes, 1L << (20 + random.nextInt(10)), 1 + random.nextInt(8))
      if (plan.splits < 20000) {
        val enumerator = CassandraEnumerator.of(plan)
        val splits     = Iterator.continually(enumerator.next()).takeWhile(_.isDefined).flatten.toSeq
        assert(splits.size.toLong === plan.splits)
        assert(isRing(splits.collect { case split: TokenSplit => split.span }))
      }
    }
  }

  test("a plan follows the table size if known, otherwise the number of tasks") {
    val ring = rangesOf(Seq(-100L, 100L)).toVector.flatMap { case (s, e) =>
      TokenSpan.of(s, e).map(SplitPlan.Owned(_, Vector("a")))
    }
    assert(SplitPlan.of(ring, None, 64 << 20, 8).splits === 8L +- 2L)
    assert(SplitPlan.of(ring, Some(5L << 20), 64 << 20, 8).splits === 5L +- 3L)
    assert(SplitPlan.of(ring, Some(30L << 20), 64 << 20, 8).splits === 8L +- 3L)
    assert(SplitPlan.of(ring, Some(1), 64 << 20, 8).splits === 1)
    assert(SplitPlan.of(ring, Some(100L << 20), 1 << 20, 8).splits === 100L +- 3L)
    assert(SplitPlan.of(Vector.empty, None, 1, 4).splits === 4)
  }

  test("very small splits grow gradually, so the number of splits is bounded") {
    def count(tableBytes: Long) = SplitPlan.splitCount(tableBytes, 1000, 2)
    assert(count(400 * 1000) === 400)
    assert(count(401 * 1000) === 400)
    val sizes = (1 to 40).map(power => count(1L << power))
    assert(sizes === sizes.sorted)
    assert(count(1L << 50) < 20000)
    assert(count(Long.MaxValue) > 0)
  }

  test("a table's size extrapolates the node's share, and a missing estimate is unknown") {
    val half = TableSize.Estimate(Seq(TokenSpan(Long.MinValue, -1)), 10, 100)
    assert(TableSize.total(Seq(half)).exists(bytes => (1999 to 2001).contains(bytes.toInt)))
    assert(TableSize.total(Seq(half, half.copy(span = Seq(TokenSpan(-1, Max))))) === Some(2000))
    assert(TableSize.total(Nil) === None)
    assert(TableSize.total(Seq(half.copy(partitions = 0))) === None)
  }

  test("an enumerator resumes from its snapshot, with returned splits first") {
    val plan       = SplitPlan(Vector(SplitPlan.Piece(TokenSpan.Ring, 100, Vector("a", "b"), 7)))
    val enumerator = CassandraEnumerator.of(plan)
    val first      = enumerator.next().get
    val second     = enumerator.next().get
    enumerator.takeBack(second)
    enumerator.takeBack(first)
    val restored = CassandraEnumerator.restored(enumerator.snapshot(0))
    val all      = Iterator.continually(restored.next()).takeWhile(_.isDefined).flatten.toSeq
    assert(all.take(2) === Seq(first, second))
    assert(isRing(all.collect { case split: TokenSplit => split.span }))
  }
}
