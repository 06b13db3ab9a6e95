// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.log.{LogRecord, QueryEpoch, SinkState}
import stoplog.part.RunId
import stoplog.rolling.DefaultRollingPolicy

/** A log belongs to one kind of sink. */
class SinkKindSuite extends AnyFunSuite {

  /** A sink of files that leaves a part open, and has published another one. */
  private def files(): DriverWorld = {
    val world  = new DriverWorld(DefaultRollingPolicy())
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    driver.end(Finish.KeepOpen)
    world
  }

  private def prepared(kind: String, world: DriverWorld, onForeign: ForeignQuery, query: String) =
    SinkDriver.ofPrepared(
      RunId.random(),
      identity.copy(queryId = query),
      SinkSettings(Map.empty, content = ""),
      Ledger.Stores.of(
        new SinkKind(kind),
        world.stores.log,
        new MemoryTransactions(new TransactionWorld).committer()
      ),
      onForeign,
      LostPart.Fail,
      DriverTools.ofThisJvm
    )

  private def newest(world: DriverWorld): LogRecord = world.stores.log.newest().get

  test("every record contains the kind of its sink, with any settings") {
    val world = files()
    assert(world.stores.log.all().forall(_.state.settings.get("sink").contains("files")))
  }

  for {
    (onForeign, query) <- Seq(
      ForeignQuery.Adopt  -> "another query",
      ForeignQuery.Refuse -> "another query",
      ForeignQuery.Refuse -> identity.queryId
    )
  } test(s"a sink of another kind is rejected before any write: $query, $onForeign") {
    val world  = files()
    val before = newest(world)
    assert(before.state.open.nonEmpty)
    val refused = intercept[Exception](prepared("kafka", world, onForeign, query).begin(1, slots = 1))
    assert(condition(throw refused) === "STOPLOG_LOG_OF_ANOTHER_KIND")
    for (said <- Seq("'files'", "'kafka'", "sinkId")) assert(refused.getMessage.contains(said))
    assert(newest(world) === before)
  }

  test("a waiting run neither claims nor recovers the log of another kind") {
    val world  = files()
    val before = newest(world)
    val driver = prepared("kafka", world, ForeignQuery.Refuse, identity.queryId)
    driver.waitFrom(before.seq)
    for (act <- Seq[() => Any](() => driver.tick(), () => driver.end(Finish.PublishOpen)))
      try { act(); () }
      catch { case e: Exception => assert(condition(throw e) === "STOPLOG_LOG_OF_ANOTHER_KIND") }
    assert(newest(world) === before)
  }

  test("recovery rejects the log of another kind and commits nothing") {
    val world  = files()
    val ledger = new Ledger(
      RunId.random(),
      identity,
      Ledger.Stores
        .of(new SinkKind("wal"), world.stores.log, new MemoryTransactions(new TransactionWorld).committer()),
      LostPart.Fail,
      MemoryNotes.unasked,
      DriverTools.ofThisJvm
    )
    assert(condition(ledger.recover()) === "STOPLOG_LOG_OF_ANOTHER_KIND")
    assert(condition(ledger.recover(newest(world))) === "STOPLOG_LOG_OF_ANOTHER_KIND")
  }

  test("file sinks and connectors reject each other's logs") {
    val world = new DriverWorld(DefaultRollingPolicy())
    val kafka = prepared("kafka", world, ForeignQuery.Refuse, identity.queryId)
    kafka.begin(0, slots = 0)
    kafka.commit(0, Nil)
    for (
      begin <- Seq[() => Any](
        () => world.driver().begin(1, slots = 1),
        () => prepared("wal", world, ForeignQuery.Adopt, identity.queryId).begin(1, slots = 1)
      )
    ) assert(condition(begin()) === "STOPLOG_LOG_OF_ANOTHER_KIND")
    prepared("kafka", world, ForeignQuery.Refuse, identity.queryId).begin(1, slots = 1)
  }

  test("a record without a kind is accepted") {
    val state = SinkState(QueryEpoch("query-1", None), Vector.empty, nextPart = 0, settings = Map.empty)
    new SinkKind("kafka").refuseOther(state, identity)
    assert(SinkKind.Files.in(state).settings === Map("sink" -> "files"))
  }
}
