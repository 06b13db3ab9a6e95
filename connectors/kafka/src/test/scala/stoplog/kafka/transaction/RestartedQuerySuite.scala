// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.file.Files

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import stoplog.LongRun
import stoplog.commit.LostPart
import stoplog.error.StoplogException
import stoplog.fault.Step
import stoplog.kafka.Broker

/** What befalls a query over several lives, besides what [[KafkaMatrixSuite]] does to it. */
class RestartedQuerySuite extends AnyFunSuite with Eventually {
  private val broker = Broker.shared

  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(120, Seconds), Span(100, Millis))

  test("recovers after a second kill during the abort of open transactions") {
    inTopic("matrix-recovery") { (topic, lives) =>
      assert(!lives.live(more = 2, RestartedQuery.dying(Step.AfterSync, 4))())
      assert(!lives.live(more = 1, RestartedQuery.dying(Step.MidSweep, 1))())
      assert(lives.live(more = 2)())
      assert(broker.committed(topic).sorted === lives.rows.sorted)
      assert(!broker.isHeldUp(topic))
    }
  }

  test("a newer driver on the same log fences the older driver and its rows") {
    inTopic("matrix-drivers") { (topic, lives) =>
      val older = lives.life()
      val newer = lives.life()
      older.epoch(0)
      val fenced = intercept[StoplogException](older.epoch(1, newer.epoch(1)))
      assert(fenced.getCondition === "STOPLOG_FENCED")
      newer.epoch(2)
      assert(broker.committed(topic).sorted === RestartedQuery.rowsUntil(3).sorted)
      assert(!broker.isHeldUp(topic))
    }
  }

  test("a decided transaction that has timed out is reported on every start", LongRun.Only) {
    inTopic("matrix-timeout") { (topic, lives) =>
      assert(
        !lives.live(more = 1, RestartedQuery.dying(Step.AfterRecord, 1), timeoutMillis = Broker.ShortMillis)()
      )
      eventually(assert(!broker.isHeldUp(topic)))
      for (_ <- 1 to 2) {
        val lost = intercept[StoplogException](lives.live(more = 1)())
        assert(lost.getCondition === "STOPLOG_ROWS_LOST")
        assert(lost.getMessageParameters.get("batch") === "micro-batch 0")
        val rows = RestartedQuery.Tasks * RestartedQuery.RowsOfTask
        assert(lost.getMessage.contains(s"2 with $rows rows are lost"))
      }
      assert(broker.committed(topic) === Vector.empty)
    }
  }

  test("the error reports committed and timed-out transactions of a micro-batch", LongRun.Only) {
    inTopic("matrix-partly") { (topic, lives) =>
      assert(
        !lives.live(
          more = 1,
          RestartedQuery.dying(Step.PartPublished, 1),
          timeoutMillis = Broker.ShortMillis
        )()
      )
      eventually(assert(!broker.isHeldUp(topic)))
      val lost = intercept[StoplogException](lives.live(more = 1)())
      assert(lost.getCondition === "STOPLOG_ROWS_LOST")
      val counts = s"1 are committed, and 1 with ${RestartedQuery.RowsOfTask} rows are lost"
      assert(lost.getMessage.contains(counts))
      assert(broker.committed(topic).size === RestartedQuery.RowsOfTask)
    }
  }

  test("a timeout before the decision fails the epoch, and a repetition writes each row once") {
    inTopic("matrix-expired") { (topic, lives) =>
      val expired = intercept[StoplogException] {
        lives.live(more = 1, timeoutMillis = Broker.ShortMillis)(eventually(assert(!broker.isHeldUp(topic))))
      }
      assert(expired.getCondition === "STOPLOG_KAFKA_TRANSACTION_EXPIRED")
      assert(expired.getMessageParameters.get("batch") === "micro-batch 0")
      assert(lives.records.newest().flatMap(_.state.lastEpoch) === None)
      assert(lives.live(more = 1)())
      assert(broker.committed(topic).sorted === lives.rows.sorted)
    }
  }

  test("the sink of another log with an equal path is not affected") {
    inTopic("matrix-one-text") { (topic, _) =>
      val (one, other) = (life(topic), life(topic))
      try {
        assert(!other.live(more = 1, RestartedQuery.dying(Step.AfterSync, 1))())
        assert(one.live(more = 1)(between = assert(other.live(more = 1)())))
        assert(broker.committed(topic).sorted === (one.rows ++ other.rows).sorted)
        assert(!broker.isHeldUp(topic))
      } finally Seq(one, other).foreach(_.close())
    }
  }

  test("a copy of the log in another place aborts no transaction of the original") {
    inTopic("matrix-original") { (topic, lives) =>
      val original = lives.life()
      original.epoch(0)
      val copy = lives.copied(broker.createTopic("matrix-copy", partitions = 2))
      try {
        original.epoch(
          1,
          between = {
            val other = copy.life()
            other.epoch(1)
            other.end()
          }
        )
        original.epoch(2)
        assert(broker.committed(topic).sorted === RestartedQuery.rowsUntil(3).sorted)
        assert(broker.committed(copy.topic).sorted === RestartedQuery.rows(1).flatten.sorted)
        assert(!broker.isHeldUp(topic) && !broker.isHeldUp(copy.topic))
      } finally copy.close()
    }
  }

  test("the next run aborts open transactions despite another prefix or path spelling") {
    inTopic("matrix-prefix") { (topic, lives) =>
      assert(!lives.live(more = 1, RestartedQuery.dying(Step.AfterSync, RestartedQuery.Tasks))())
      val link = Files.createTempDirectory("stoplog-kafka-link").resolve("log")
      Files.createSymbolicLink(link, lives.root)
      lives.ids = lives.idsAt(s"file:$link/").copy(prefix = "team-a")
      assert(lives.live(more = 1)())
      assert(!broker.isHeldUp(topic))
      assert(broker.committed(topic).sorted === lives.rows.sorted)
    }
  }

  test("with onLostTransaction=skip, the query continues without lost rows", LongRun.Only) {
    inTopic("matrix-skip", LostPart.Skip) { (topic, lives) =>
      assert(
        !lives.live(more = 1, RestartedQuery.dying(Step.AfterRecord, 1), timeoutMillis = Broker.ShortMillis)()
      )
      eventually(assert(!broker.isHeldUp(topic)))
      assert(lives.live(more = 2)())
      assert(broker.committed(topic).sorted === lives.rows.filterNot(_.startsWith("0-")).sorted)
    }
  }

  private def life(topic: String) = new RestartedQuery(broker, topic, path = Some("/data/log"))

  private def inTopic(name: String, onLost: LostPart = LostPart.Fail)(
      check: (String, RestartedQuery) => Any
  ): Unit = {
    val lives = new RestartedQuery(broker, broker.createTopic(name, partitions = 2), onLost)
    try { check(lives.topic, lives); () }
    finally lives.close()
  }
}
