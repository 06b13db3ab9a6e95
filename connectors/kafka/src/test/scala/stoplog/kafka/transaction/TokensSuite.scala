// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import org.scalatest.funsuite.AnyFunSuite

import stoplog.kafka.client.OpenTransaction
import stoplog.part.RunId

class TokensSuite extends AnyFunSuite {

  private val ids = TransactionalIds("stoplog", "/data/ck", "main")
  private val run = RunId("0f3a9c52-1111-2222-3333-444455556666")

  test("a token survives a round trip") {
    for (batch <- Seq(None, Some(12L))) {
      val open = OpenTransaction("stoplog-1-main", 4611686018427387904L, 31, 1790000000000L, batch)
      assert(OpenTransaction.parse(open.token) === open)
      assert(OpenTransaction.idOf(open.token) === open.id)
      assert(OpenTransaction.idOf(open.id) === open.id)
    }
  }

  test("a token of release 0.1.0 is read and written unchanged") {
    val id      = "stoplog-0123abcd-main-0f3a9c521111-89abcdef-7"
    val inBatch = OpenTransaction(id, 4611686018427387904L, 31, 1790000000000L, Some(12))
    for (
      (token, open) <- Seq(
        s"4611686018427387904:31:1790000000000:12:$id" -> inBatch,
        s"4611686018427387904:31:1790000000000::$id"   -> inBatch.copy(batch = None)
      )
    ) {
      assert(OpenTransaction.parse(token) === open)
      assert(open.token === token)
    }
  }

  test("rejects malformed tokens") {
    for (text <- Seq("", "1:2:3:4", "x:2:3:4:id", "1:70000:3:4:id", "1:2:3:4:"))
      intercept[IllegalArgumentException](OpenTransaction.parse(text))
  }

  test("an id contains sink, run and process and is unique") {
    val all = Seq.fill(3)(ids.next(run))
    assert(all.forall(_.matches("stoplog-[0-9a-f]{8}-main-0f3a9c521111-[0-9a-f]{8}-[0-9]+")))
    assert(all.distinct === all)
  }

  test("an id identifies its run to the same log, with any prefix") {
    for (prefix <- Seq("stoplog", "team-a", "")) {
      val made = ids.copy(prefix = prefix).next(run)
      assert(ids.runOf(made) === Some(run.uid), made)
    }
  }

  test("an id identifies no run to a copy of the log in another place, nor to another sink") {
    val others = Seq(
      ids.copy(place = "/data/copy"),
      ids.copy(sinkId = "main-2-3"),
      ids.copy(sinkId = s"main-${run.uid.reverse}-89abcdef-7"),
      ids.copy(sinkId = "ain")
    )
    for (other <- others) {
      assert(ids.runOf(other.next(run)) === None)
      assert(other.runOf(ids.next(run)) === None)
      assert(other.runOf(other.next(run)) === Some(run.uid))
    }
  }

  test("a foreign id identifies no run") {
    for (
      id <- Seq("orders", s"stoplog-main-${run.uid}", s"${run.uid}-89abcdef-7", s"app-${run.uid}-89abcdef-x")
    )
      assert(ids.runOf(id) === None)
  }

  test("a trailing slash does not change the place of a log") {
    def begin(ids: TransactionalIds) = ids.next(run).split('-').take(3).toSeq
    assert(begin(ids.copy(place = "/data/ck/")) === begin(ids))
    assert(begin(ids.copy(place = "/data/other")) !== begin(ids))
  }
}
