// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{Closed, PartRows, Pending}
import stoplog.rolling.RollReason
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}

class PartCommitterSuite extends AnyFunSuite {

  private def pending(token: String, bytes: Long): Pending =
    Pending("", token, Closed(token), bytes, PartRows(1, 0, 0), RollReason.Size)

  test("a committer checks all prepared output before a record, also output of unknown size") {
    var checked   = Seq.empty[String]
    val committer = new TwoPhaseCommitter {
      override def refuseLost(tokens: Seq[String]): Unit     = checked = tokens
      override def commit(prepared: Prepared): CommitOutcome = fail("no record names the output")
      override def staged(): Vector[Staged]                  = Vector.empty
      override def abort(token: String): Unit                = ()
    }
    new PartCommitter.OfCommitter(committer).refuseLost(Seq(pending("a", 0), pending("b", 5)))
    assert(checked === Seq("a", "b"))
  }
}
