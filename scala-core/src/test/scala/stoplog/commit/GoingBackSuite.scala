// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.GoingBack.{AtLeast, Scope}
import stoplog.commit.Samples._
import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending}

class GoingBackSuite extends AnyFunSuite {
  private val Query = identity.queryId

  private def record(
      seq: Long,
      kind: RecordKind,
      lastEpoch: Long,
      published: Seq[Long] = Nil,
      open: Long = 0,
      replaced: Seq[Long] = Nil,
      query: String = Query
  ): LogRecord = {
    val left =
      if (open == 0) Vector.empty else Vector(Samples.withRows(Samples.open("p"))(_.copy(count = open)))
    LogRecord(
      seq,
      kind,
      mine,
      0,
      published.zipWithIndex.map { case (rows, i) => part(s"$seq-$i", rows) }.toVector,
      SinkState(QueryEpoch(query, Some(lastEpoch).filter(_ >= 0)), left, nextPart = 0, Map.empty),
      replace = replaced.map(rows => FinishedPart("b", "x", 4, rows, 0)).toVector
    )
  }

  private def part(name: String, rows: Long): Pending =
    Samples.withRows(done(name, sizeBytes = rows.min(4)))(_.copy(count = rows))

  private def epoch(number: Long, published: Seq[Long], open: Long = 0, query: String = Query): LogRecord =
    record(number + 1, RecordKind.Epoch(number), number, published, open, query = query)

  private val claim = record(0, RecordKind.Claim, lastEpoch = -1)
  private val log   =
    Vector(claim, epoch(0, Seq(10), open = 3), epoch(1, Seq(20, 0), open = 5), epoch(2, Nil, open = 9))

  test("counts the rows of a query's own epochs from the next batch, including open parts") {
    assert(GoingBack.of(log, Scope.Own(Query, 0)) === AtLeast(39, 2, Some((0, 2))))
    assert(GoingBack.of(log, Scope.Own(Query, 1)) === AtLeast(26, 1, Some((1, 2))))
    assert(GoingBack.of(log, Scope.Own(Query, 2)) === AtLeast(4, 0, Some((2, 2))))
    assert(GoingBack.of(log, Scope.Own(Query, 3)) === AtLeast(0, 0, None))
  }

  test("counts all rows for another query") {
    assert(GoingBack.of(log, Scope.All) === AtLeast(39, 2, Some((0, 2))))
    assert(GoingBack.of(Vector.empty, Scope.All) === AtLeast(0, 0, None))
  }

  test("closed parts, compactions and claims add no rows") {
    val closed = log ++ Vector(
      record(4, RecordKind.Roll, 2, published = Seq(9)),
      record(5, RecordKind.Compact, 2, published = Seq(39), replaced = Seq(10, 20, 9)),
      record(6, RecordKind.Claim, 2)
    )
    assert(GoingBack.of(closed, Scope.All) === AtLeast(39, 1, Some((0, 2))))
    assert(GoingBack.of(closed, Scope.Own(Query, 2)) === AtLeast(4, -0, Some((2, 2))))
  }

  test("the row count of a trimmed log is a lower bound") {
    assert(GoingBack.of(log.drop(2), Scope.Own(Query, 0)) === AtLeast(4, 0, Some((0, 2))))
    assert(GoingBack.of(log.drop(2), Scope.All) === AtLeast(29, 1, Some((1, 2))))
  }

  test("counts only a query's own epochs if another query has adopted the log") {
    val adopted = log :+ record(4, RecordKind.Epoch(0), 0, Seq(100), open = 9, query = "other")
    assert(GoingBack.of(adopted, Scope.Own(Query, 1)) === AtLeast(26, 1, Some((1, 2))))
    assert(GoingBack.of(adopted, Scope.Own("other", 0)) === AtLeast(100, 1, Some((0, 0))))
  }

  test("excludes rows that a rewind has moved away") {
    val back = log :+ record(4, RecordKind.Roll, 2, Seq(9)) :+
      record(5, RecordKind.Compact, lastEpoch = 0, published = Seq(3), replaced = Seq(20, 9))
    assert(GoingBack.of(back, Scope.All).rows === 13)
    assert(GoingBack.of(back, Scope.Own(Query, 1)) === AtLeast(0, 0, None))
  }

  test("a log after a reset reports no earlier rows") {
    val reset = log :+ record(4, RecordKind.Release, -1, query = SinkState.NextQuery)
    assert(GoingBack.of(reset, Scope.All) === AtLeast(0, 0, None))
    assert(GoingBack.leftBy(reset, Query) === None)
    assert(GoingBack.leftBy(log, Query) === Some(QueryEpoch(Query, Some(2))))
  }

  test("a log is known to be empty only if its first record is retained") {
    val empty = Vector(claim, epoch(0, Nil), epoch(1, Nil))
    assert(GoingBack.hasNoRows(Vector.empty) && GoingBack.hasNoRows(empty))
    assert(!GoingBack.hasNoRows(empty.tail) && !GoingBack.hasNoRows(log))
  }

  test("describes the count in words") {
    assert(AtLeast(26, 1, Some((1, 2))).describe === "epochs 1 to 2, at least 26 rows (1 visible file)")
    assert(AtLeast(4, 0, Some((2, 2))).describe === "epoch 2, at least 4 rows (0 visible files)")
    assert(AtLeast(0, 0, None).describe === "no epoch, at least 0 rows (0 visible files)")
  }
}
