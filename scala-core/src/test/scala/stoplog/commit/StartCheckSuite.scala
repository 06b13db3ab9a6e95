// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ForeignQuery.{Adopt, AdoptAndRepeat, Refuse}
import stoplog.commit.Samples._
import stoplog.log.{BatchDigest, LogRecord, QueryEpoch, RecordKind, SinkState}

class StartCheckSuite extends AnyFunSuite {

  private def log(
      lastEpoch: Option[Long],
      queryId: String = identity.queryId,
      zone: String = "UTC"
  ): Option[LogRecord] = {
    val state =
      SinkState(QueryEpoch(queryId, lastEpoch), Vector(open("p")), 7, settings.toMap + ("timeZone" -> zone))
    Some(LogRecord(3, RecordKind.Roll, other, 0, Vector.empty, state))
  }

  private def check(
      newest: Option[LogRecord],
      batch: Long,
      onForeign: ForeignQuery = Refuse,
      digests: Map[Long, BatchDigest] = Map.empty,
      left: Option[SinkState] = None
  ): SinkState =
    checkOf(left, newest).start(newest, settings, onForeign, new Planned(batch, digests.get(_)))

  /** The log has a record with which the query has left it, where there is one, and the newest one. */
  private def checkOf(left: Option[SinkState], newest: Option[LogRecord]): StartCheck = {
    val former = left.map(LogRecord(2, RecordKind.Epoch(5), other, 0, Vector.empty, _))
    new StartCheck(identity, () => former.toVector ++ newest)
  }

  test("a new query starts a new log") {
    assert(check(None, batch = 0) === SinkState(QueryEpoch("query-1", None), Vector.empty, 0, settings.toMap))
  }

  test("a log without an owner restarts with any query, zone and batch") {
    val nobodys = log(Some(5), queryId = SinkState.NextQuery, zone = "CET")
    assert(
      check(nobodys, batch = 0) === SinkState(QueryEpoch("query-1", None), Vector.empty, 0, settings.toMap)
    )
    assert(check(nobodys, batch = 9).lastEpoch === Some(8))
  }

  test("the last epoch and the next epoch continue from the recorded state") {
    for (batch <- Seq(5L, 6L)) assert(check(log(Some(5)), batch) === log(Some(5)).get.state)
  }

  test("a log without epochs continues only with epoch 0") {
    assert(check(log(None), batch = 0) === log(None).get.state)
    assert(condition(check(log(None), batch = 1)) === "STOPLOG_EPOCH_GAP")
  }

  test("a log older than its checkpoint is rejected because of missing epochs") {
    assert(condition(check(log(Some(5)), batch = 7)) === "STOPLOG_EPOCH_GAP")
    assert(condition(check(None, batch = 1)) === "STOPLOG_EPOCH_GAP")
  }

  test("a log newer than its checkpoint is rejected because rows would be published twice") {
    assert(condition(check(log(Some(5)), batch = 4)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(check(log(Some(5)), batch = 0)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(check(log(Some(5)), batch = 4, Adopt)) === "STOPLOG_EPOCH_AHEAD")
  }

  test("a repeated epoch must have the committed batch, if both digests are known") {
    for (same <- Seq(fifth(10), Map.empty[Long, BatchDigest]))
      assert(check(planned, batch = 5, digests = same) === planned.get.state)
    assert(check(unknown, batch = 5, digests = fifth(20)) === unknown.get.state)
    for (onForeign <- Seq(Refuse, Adopt)) {
      val refused = intercept[Exception](check(planned, batch = 5, onForeign, fifth(20)))
      assert(condition(throw refused) === "STOPLOG_EPOCH_AHEAD")
      assert(Seq("replanned", "--epoch 4").forall(refused.getMessage.contains))
    }
  }

  test("the next epoch must start after the committed batch, if both digests are known") {
    for (same <- Seq(fifth(10), fifth(10) + (6L -> digest(20)), Map(6L -> digest(20))))
      assert(check(planned, batch = 6, digests = same) === planned.get.state)
    assert(check(unknown, batch = 6, digests = fifth(20)) === unknown.get.state)
    for (onForeign <- Seq(Refuse, Adopt)) {
      val refused = intercept[Exception](check(planned, batch = 6, onForeign, fifth(20)))
      assert(condition(throw refused) === "STOPLOG_EPOCH_REPLANNED")
      assert(Seq("batch 6", "--epoch 4", "commits/5", "adopt").forall(refused.getMessage.contains))
    }
  }

  test("a query that adopts its former log again does not repeat its own decisions") {
    val theirs                                    = log(Some(90), queryId = "query-9")
    def back(batch: Long, offset: Int): SinkState =
      check(theirs, batch, Adopt, fifth(offset), left = planned.map(_.state))
    assert(back(batch = 5, offset = 10) === planned.get.state)
    assert(back(batch = 6, offset = 10) === planned.get.state)
    for ((batch, offset) <- Seq(5L -> 20, 4L -> 10))
      assert(condition(back(batch, offset)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(back(batch = 6, offset = 20)) === "STOPLOG_EPOCH_REPLANNED")
  }

  private def digest(offset: Int)            = BatchDigest.of(s"to offset $offset".getBytes)
  private def fifth(offset: Int)             = Map(5L -> digest(offset))
  private def of(batch: Option[BatchDigest]) =
    log(Some(5)).map(record => record.copy(state = record.state.after(Some(5), batch)))
  private def planned = of(Some(digest(10)))
  private def unknown = of(None)

  test("an adopted log has no digest of the former query's batch") {
    val theirs = log(Some(5), queryId = "query-9").map { record =>
      record.copy(state = record.state.after(Some(5), Some(BatchDigest("theirs"))))
    }
    assert(check(theirs, batch = 6, Adopt).newest.batch === None)
  }

  test("another query's log is rejected for any epoch, with both names in the message") {
    for (batch <- Seq(0L, 5L, 6L, 70L)) {
      val refused = intercept[Exception](check(log(Some(5), queryId = "query-9"), batch))
      assert(refused.getMessage.contains("query-9") && refused.getMessage.contains("query-1"))
      assert(condition(throw refused) === "STOPLOG_FOREIGN_QUERY")
    }
  }

  test("another query's log is adopted on request with its open parts and new epochs") {
    for (batch <- Seq(6L, 9L)) {
      val adopted = check(log(Some(5), queryId = "query-9"), batch, Adopt)
      assert(adopted === log(Some(batch - 1)).get.state)
    }
    assert(check(log(None, queryId = "query-9"), batch = 0, Adopt) === log(None).get.state)
  }

  test("a query with older epochs than another query's log is rejected with the row count") {
    val theirs = log(Some(5), queryId = "query-9").map { record =>
      record.copy(
        publish = Vector(Samples.withRows(done("q"))(_.copy(count = 40))),
        kind = RecordKind.Epoch(5)
      )
    }
    for {
      onForeign <- Seq(Refuse, Adopt)
      batch     <- Seq(0L, 3L, 5L)
    } {
      val refused = intercept[Exception](check(theirs, batch, onForeign))
      assert(condition(throw refused) === "STOPLOG_FOREIGN_QUERY")
      assert(refused.getMessage.contains(s"at least ${40 + open("p").records} rows (1 visible file)"))
      assert(Seq("epoch 5", "--epoch -1", "Restore the checkpoint").forall(refused.getMessage.contains))
    }
    assert(check(theirs, batch = 0, AdoptAndRepeat).newest === QueryEpoch("query-1", None))
  }

  test("a query adopts a log known to be empty at any epoch") {
    val empty = log(Some(5), queryId = "query-9").map(record =>
      record.copy(state = record.state.copy(open = Vector.empty))
    )
    assert(check(empty.map(_.copy(seq = 0)), batch = 0, Adopt).newest === QueryEpoch("query-1", None))
    assert(condition(check(empty, batch = 0, Adopt)) === "STOPLOG_FOREIGN_QUERY", "older records are gone")
  }

  test("a query rewinds its own log only with adoptAndRepeat, and never skips epochs") {
    for ((batch, offset, left) <- Seq((4L, 10, 3L), (5L, 20, 4L), (6L, 20, 5L)))
      assert(
        check(planned, batch, AdoptAndRepeat, fifth(offset)).newest === QueryEpoch("query-1", Some(left))
      )
    for (batch <- Seq(5L, 6L)) assert(check(planned, batch, AdoptAndRepeat, fifth(10)) === planned.get.state)
    assert(condition(check(planned, batch = 7, AdoptAndRepeat)) === "STOPLOG_EPOCH_GAP")
  }

  test("each rejection of a newer log names the repeated rows and ways to avoid repetition") {
    for ((batch, offset) <- Seq(4L -> 10, 5L -> 20, 6L -> 20)) {
      val refused = intercept[Exception](check(planned, batch, Adopt, fifth(offset)))
      val first   = batch.min(5L)
      val which   = if (first == 5) "epoch 5" else s"epochs $first to 5"
      assert(refused.getMessage.contains(s"$which, at least 0 rows (0 visible files)"))
      val ways = Seq("Restore the", s"rewind /data/out --sink-id main --epoch ${first - 1}", "adoptAndRepeat")
      assert(ways.map(refused.getMessage.indexOf).sliding(2).forall(at => 0 <= at(0) && at(0) < at(1)))
    }
  }

  test("a log older than the query's own checkpoint is rejected, even with adopt") {
    for (onForeign <- Seq(Adopt, Refuse)) {
      val refused = intercept[Exception](check(log(Some(5)), batch = 7, onForeign))
      assert(condition(throw refused) === "STOPLOG_EPOCH_GAP")
      assert(Seq("epoch 5", "batch 7", "stoplog adopt /data/out").forall(refused.getMessage.contains))
      assert(check(log(Some(5)), batch = 6, onForeign) === log(Some(5)).get.state)
    }
    assert(condition(check(log(None), batch = 1, Adopt)) === "STOPLOG_EPOCH_GAP")
  }

  test("an older log adopted elsewhere is rejected, and a lost log restarts on request") {
    val theirs = log(Some(90), queryId = "query-9")
    assert(condition(check(theirs, batch = 7, Adopt, left = unknown.map(_.state))) === "STOPLOG_EPOCH_GAP")
    assert(check(theirs, batch = 91, Adopt).lastEpoch === Some(90), "which says nothing of this query")
    assert(check(None, batch = 9, Adopt).lastEpoch === Some(8))
  }

  test("a changed fixed setting is rejected by name before any other check") {
    for (onForeign <- Seq(Adopt, Refuse))
      assert(
        condition(check(log(Some(5), zone = "Europe/Berlin"), 6, onForeign)) === "STOPLOG_SETTINGS_CHANGED"
      )
  }

  test("a setting is reported under its option name") {
    val named   = settings.copy(options = Map("timeZone" -> "bucketTimeZone"))
    val planned = new Planned(6, BatchDigests.unknown)
    val refused = intercept[Exception](
      checkOf(left = None, None).start(log(Some(5), zone = "Asia/Tokyo"), named, Refuse, planned)
    )
    assert(refused.getMessage.contains("bucketTimeZone = Asia/Tokyo"))
    assert(!named.toMap.values.exists(_.contains("bucketTimeZone")), "nothing of it goes into the log")
  }

  test("a schema is rejected if it must not follow the recorded schema") {
    val columns = new SinkSettings.RowSchema {
      override def text: String                      = "a, b"
      override def mayFollow(recorded: String): Unit = if (recorded != "a") throw new Refused(recorded)
    }
    def start(recorded: String) = {
      val state  = log(Some(5)).get.state.copy(settings = Map(SinkState.SchemaKey -> recorded))
      val newest = log(Some(5)).map(_.copy(state = state))
      checkOf(left = None, newest)
        .start(newest, settings.copy(schema = columns), Refuse, new Planned(6, BatchDigests.unknown))
    }
    assert(start("a").lastEpoch === Some(5))
    assert(intercept[Refused](start("b")).getMessage === "b")
  }

  private final class Refused(recorded: String) extends RuntimeException(recorded)

  test("a setting missing from the log is not a change, and neither is different content") {
    val state  = log(Some(5)).get.state.copy(settings = Map("content" -> "json"))
    val newest = log(Some(5)).map(_.copy(state = state))
    assert(check(newest, batch = 6) === state)
  }
}
