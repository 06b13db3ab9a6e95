// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{BatchDigests, ForeignQuery}
import stoplog.engine.{Existing, Scope}
import stoplog.error.StoplogException
import stoplog.jdbc.client.{JdbcStep, RequestOptions, Retries}
import stoplog.jdbc.staging.{CreatedTables, EpochDriver, EpochStatus, TaskOutcome}
import stoplog.log.BatchDigest

/** What is asked of exactly-once inserts into each database. */
abstract class EpochLaws(newDatabase: => TestDatabase) extends AnyFunSuite {
  protected lazy val database: TestDatabase = newDatabase

  private def rig(): JdbcSinkFixture = new JdbcSinkFixture(database, database.newHeap(), database.connector)

  private def ids(table: String): Seq[Int] =
    database.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt)

  private def rows(from: Long, until: Long): Seq[(Long, String)] =
    (from until until).map(id => id -> s"w$id")

  private def condition(action: => Any): String = intercept[StoplogException](action).getCondition

  private def of(offsets: (Long, Int)*): BatchDigests = {
    val digests = offsets.toMap.transform((_, offset) => BatchDigest(s"to offset $offset"))
    digests.get(_)
  }

  test("an existing epochs table must have its key, which the database checks with each row") {
    val key                                       = ", PRIMARY KEY (sink_name, former_query)"
    def refusal(change: String => String): String = {
      val table = database.newHeap()
      val sink  = new JdbcSinkFixture(database, table, database.connector, epochs = Some(s"${table}_epochs"))
      database.execute(change(sink.tables.epochs.create))
      Try(sink.driver("q", "r").begin(0)).fold(_.getMessage, _ => "none")
    }
    assert(refusal(identity) === "none")
    assert(refusal(_.replace(key, "")).contains("it has no key (sink_name, former_query)"))
    assert(refusal(_.replace(key, ", PRIMARY KEY (sink_name)")).contains("it has no key"))
    assert(refusal(_.replace(key, ", UNIQUE (former_query, sink_name)")) === "none")
    if (Set("Derby", "PostgreSQL")(database.name))
      assert(refusal(_.replace(key, s"$key DEFERRABLE")).contains("(sink_name, former_query) is deferrable"))
  }

  test("a table whose key another driver adds during the check is accepted") {
    // SQLite cannot add a key to a table.
    assume(database.name != "SQLite")
    val table   = database.newHeap()
    val sink    = new JdbcSinkFixture(database, table, database.connector, epochs = Some(s"${table}_epochs"))
    val epochs  = sink.tables.epochs
    val key     = "PRIMARY KEY (sink_name, former_query)"
    var pauses  = 0
    val retries = new Retries(
      RequestOptions(0, retryTimeoutMillis = 0),
      database.dialect,
      _ => {
        pauses += 1
        if (pauses == 2) database.execute(s"ALTER TABLE ${epochs.table} ADD $key")
      }
    )
    val created = new CreatedTables(sink.session(), retries, sink.target)
    database.execute(epochs.create.replace(s", $key", ""))
    created.ensure(epochs)
    assert(pauses === 2)
  }

  test("the primary key of each own table is the key of its statement") {
    val sink = rig()
    assert(CreatedTables.keyOf(sink.tables.epochs.create) === Set("sink_name", "former_query"))
    assert(CreatedTables.keyOf(sink.rejects.create) === Set("id"))
    assert(
      CreatedTables.keyOf("CREATE TABLE t (\"x\" INT, a_b VARCHAR(64) NOT NULL PRIMARY KEY, c INT)") === Set(
        "a_b"
      )
    )
  }

  test("the target has no rows before the commit, all rows after, and staging is empty") {
    val sink   = rig()
    val driver = sink.driver("q", "r1")
    assert(driver.begin(0) === EpochStatus.Open)
    val results = Seq(sink.stage(rows(0, 10): _*), sink.stage(), sink.stage(rows(10, 13): _*))
    assert(ids(sink.table) === Nil)
    driver.commit(0, results, Existing.Keep)
    assert(ids(sink.table) === (0 until 13))
    assert(database.count(sink.tables.staging.table) === 0)
  }

  test("rows of unreported attempts never reach the target, and the next run deletes them") {
    val sink   = rig()
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    sink.stage(rows(0, 3): _*)
    driver.commit(0, Seq(sink.stage(rows(0, 3): _*)), Existing.Keep)
    assert(ids(sink.table) === Seq(0, 1, 2))
    assert(database.count(sink.tables.staging.table) === 3)
    sink.driver("q", "r2").begin(1)
    assert(database.count(sink.tables.staging.table) === 0)
  }

  test("a committed epoch is not written again by any run") {
    val sink   = rig()
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    val results = Seq(sink.stage(rows(0, 3): _*))
    driver.commit(0, results, Existing.Keep)
    driver.commit(0, results, Existing.Keep)
    val next = sink.driver("q", "r2")
    assert(next.begin(0) === EpochStatus.Committed)
    next.commit(0, Nil, Existing.Keep)
    assert(next.begin(1) === EpochStatus.Open)
    assert(ids(sink.table) === Seq(0, 1, 2))
  }

  test("an epoch repeated with other tasks appears once") {
    val sink  = rig()
    val first = sink.driver("q", "r1")
    first.begin(0)
    sink.stage(rows(0, 5): _*)
    val second = sink.driver("q", "r2")
    second.begin(0)
    second.commit(0, Seq(sink.stage(rows(0, 2): _*), sink.stage(rows(2, 5): _*)), Existing.Keep)
    assert(ids(sink.table) === (0 until 5))
  }

  test("rejects a driver whose sink another run has claimed, and writes no rows") {
    val sink = rig()
    val old  = sink.driver("q", "r1")
    old.begin(0)
    val results = Seq(sink.stage(rows(0, 3): _*))
    sink.driver("q", "r2").begin(0)
    val e = intercept[StoplogException](old.commit(0, results, Existing.Keep))
    assert(e.getCondition === "STOPLOG_FENCED")
    assert(e.getMessage.contains("r2"))
    assert(ids(sink.table) === Nil)
  }

  test("rejects gaps, older checkpoints and other queries by name, and Adopt accepts other queries") {
    val sink = rig()
    assert(condition(sink.driver("q", "r0").begin(3)) === "STOPLOG_EPOCH_GAP")
    val driver = sink.driver("q", "r1")
    for (epoch <- 0L to 2L) {
      driver.begin(epoch)
      driver.commit(epoch, Seq(sink.stage(rows(epoch, epoch + 1): _*)), Existing.Keep)
    }
    for (onForeign <- Seq(ForeignQuery.Refuse, ForeignQuery.Adopt))
      assert(condition(sink.driver("q", "r2", onForeign).begin(4)) === "STOPLOG_EPOCH_GAP")
    assert(condition(sink.driver("q", "r2").begin(1)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(sink.driver("other", "r2").begin(0)) === "STOPLOG_FOREIGN_QUERY")
    // None of the refused ones has fenced anybody.
    driver.begin(3)
    driver.commit(3, Seq(sink.stage(rows(3, 4): _*)), Existing.Keep)
    val refused = intercept[StoplogException](sink.driver("other", "r3", ForeignQuery.Adopt).begin(3))
    assert(refused.getCondition === "STOPLOG_FOREIGN_QUERY")
    assert(refused.getMessage.contains("all rows of the epochs up to 3"))
    assert(sink.driver("other", "r3", ForeignQuery.Adopt).begin(4) === EpochStatus.Open)
    assert(condition(driver.commit(4, Nil, Existing.Keep)) === "STOPLOG_FENCED")
  }

  test("AdoptAndRepeat repeats epochs once, although the option stays set") {
    val sink                                  = rig()
    def repeating(query: String, run: String) = sink.driver(query, run, ForeignQuery.AdoptAndRepeat)
    def write(driver: EpochDriver, epoch: Long, row: Long): Unit = {
      assert(driver.begin(epoch) === EpochStatus.Open)
      driver.commit(epoch, Seq(sink.stage(rows(row, row + 1): _*)), Existing.Keep)
      ()
    }
    val first = sink.driver("q", "r1")
    for (epoch <- 0L to 1L) write(first, epoch, epoch)
    val again = repeating("other", "r2")
    for (epoch <- 0L to 1L) write(again, epoch, 2 + epoch)
    assert(condition(repeating("other", "r3").begin(0)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(repeating("third", "r4").begin(0)) === "STOPLOG_FOREIGN_QUERY")
    write(repeating("other", "r5"), 2, 4)
    write(sink.driver("other", "r6"), 3, 5)
    write(repeating("other", "r7"), 1, 6)
    assert(condition(repeating("other", "r8").begin(0)) === "STOPLOG_EPOCH_AHEAD")
    assert(ids(sink.table) === (0 to 6))
  }

  test("a repeated epoch must equal the committed batch, and the next must follow that batch") {
    val sink   = rig()
    val driver = sink.driver("q", "r1")
    driver.begin(0, of(0L -> 3))
    driver.commit(0, Seq(sink.stage(rows(0, 3): _*)), Existing.Keep)
    for ((batch, anew) <- Seq(0L -> "replanned", 1L -> "after another batch 0")) {
      val refused = intercept[StoplogException](sink.driver("q", "r2").begin(batch, of(0L -> 5)))
      assert(refused.getCondition === "STOPLOG_EPOCH_AHEAD")
      assert(refused.getMessage.contains(anew))
    }
    // None of the refused ones has fenced anybody.
    driver.begin(1, of(0L -> 3, 1L -> 4))
    driver.commit(1, Seq(sink.stage(rows(3, 4): _*)), Existing.Keep)
    for (same <- Seq(of(1L -> 4), of()))
      assert(sink.driver("q", "r3").begin(1, same) === EpochStatus.Committed)
    assert(sink.driver("q", "r4").begin(2, of(1L -> 4, 2L -> 9)) === EpochStatus.Open)
    assert(sink.driver("other", "r5", ForeignQuery.Adopt).begin(2, of(1L -> 7)) === EpochStatus.Open)
  }

  test("queries that adopt a sink from each other repeat and skip no epoch") {
    val sink                                 = rig()
    def adopting(query: String, run: String) = sink.driver(query, run, ForeignQuery.Adopt)
    def write(driver: EpochDriver, epoch: Long, offset: Int, row: Long): EpochStatus = {
      val begun = driver.begin(epoch, of(epoch -> offset))
      driver.commit(epoch, Seq(sink.stage(rows(row, row + 1): _*)), Existing.Keep)
      begun
    }
    val first = adopting("q", "r1")
    for (epoch <- 0L to 1L) write(first, epoch, offset = 10, row = epoch)
    // It dies before Spark has noted epoch 1.
    assert(write(adopting("other", "r2"), 2, offset = 50, row = 2) === EpochStatus.Open)
    for ((batch, digests) <- Seq(0L -> of(), 1L -> of(1L -> 20), 2L -> of(1L -> 20)))
      assert(condition(adopting("q", "r3").begin(batch, digests)) === "STOPLOG_EPOCH_AHEAD")
    assert(condition(adopting("q", "r3").begin(3)) === "STOPLOG_EPOCH_GAP")
    val back = adopting("q", "r4")
    assert(write(back, 1, offset = 10, row = 1) === EpochStatus.Committed)
    assert(write(back, 2, offset = 11, row = 3) === EpochStatus.Open)
    // So does the other, and each once more.
    assert(write(adopting("other", "r5"), 2, offset = 50, row = 2) === EpochStatus.Committed)
    assert(write(adopting("q", "r6"), 2, offset = 11, row = 3) === EpochStatus.Committed)
    assert(ids(sink.table) === (0 to 3))
  }

  test("a sink whose row was deleted restarts without its former queries") {
    val sink                                 = rig()
    def adopting(query: String, run: String) = sink.driver(query, run, ForeignQuery.Adopt)
    for ((query, row) <- Seq("q" -> 0L, "other" -> 1L)) {
      val driver = adopting(query, s"$query-1")
      driver.begin(row)
      driver.commit(row, Seq(sink.stage(rows(row, row + 1): _*)), Existing.Keep)
    }
    database.execute(
      s"DELETE FROM ${sink.tables.epochs.table} WHERE sink_name = '${sink.tables.sink}' AND query_id = 'other'"
    )
    assert(adopting("third", "r").begin(0) === EpochStatus.Open)
    assert(adopting("q", "q-2").begin(0) === EpochStatus.Open)
  }

  test("a driver overtaken before its cleanup keeps the rows of its successor") {
    val table  = database.newHeap()
    val sink   = new JdbcSinkFixture(database, table, database.connector)
    val next   = sink.driver("q", "r2")
    var staged = Seq.empty[TaskOutcome]
    val sleeps = new JdbcSinkFixture(
      database,
      table,
      database.connector,
      faults = step =>
        if (step == JdbcStep.AfterClaim) {
          next.begin(0)
          staged = Seq(sink.stage(rows(0, 3): _*))
        }
    )
    assert(condition(sleeps.driver("q", "r1").begin(0)) === "STOPLOG_FENCED")
    next.commit(0, staged, Existing.Keep)
    assert(ids(table) === Seq(0, 1, 2))
  }

  test("the staging table is recreated for a changed nullability") {
    val table = s"${database.newHeap()}_n"
    replaced(s"CREATE TABLE $table (id BIGINT NOT NULL, word ${database.text} NOT NULL)")(
      s"DROP TABLE $table",
      s"CREATE TABLE $table (id BIGINT, word ${database.text})"
    )(table, "w")
    assert(database.rows(s"SELECT COUNT(*) FROM $table WHERE word IS NULL") === Seq(Seq("1")))
  }

  /** One run begins with the table as it is first, and the next writes a row and one with null when it is another.
    *
    * @param first makes the table
    * @param later makes another of it
    */
  protected def replaced(first: String*)(later: String*)(table: String, word: String): Unit = {
    def sink = new JdbcSinkFixture(database, table, database.connector)
    database.execute(first: _*)
    sink.driver("q", "r1").begin(0)
    database.execute(later: _*)
    val now    = sink
    val driver = now.driver("q", "r2")
    driver.begin(0)
    driver.commit(0, Seq(now.stage(1L -> word, 2L -> null)), Existing.Keep)
    assert(ids(table) === Seq(1, 2))
    ()
  }

  test("deleted staging rows fail the epoch without any row in the target") {
    val sink   = rig()
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    val results = Seq(sink.stage(rows(0, 3): _*))
    database.execute(s"DELETE FROM ${sink.tables.staging.table} WHERE stoplog_row = 1")
    assert(condition(driver.commit(0, results, Existing.Keep)) === "STOPLOG_REQUEST_FAILED")
    assert(ids(sink.table) === Nil)
  }

  test("an overwrite replaces existing rows in the same transaction") {
    val sink = rig()
    database.execute(s"INSERT INTO ${sink.table} (id, word) VALUES (77, 'old')")
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    driver.commit(0, Seq(sink.stage(rows(0, 3): _*)), Existing.Replace(Scope.Whole))
    assert(ids(sink.table) === Seq(0, 1, 2))
  }

  test("a bad row fails the epoch by name") {
    val sink   = new JdbcSinkFixture(database, database.newTable(), database.connector)
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    val results = Seq(sink.stage(rows(0, 5): _*), sink.stage(rows(4, 6): _*))
    assert(condition(driver.commit(0, results, Existing.Keep)) === "STOPLOG_BAD_ROW")
    assert(ids(sink.table) === Nil)
  }

  test("rows that the target rejects are moved to the reject table once per epoch") {
    val sink   = new JdbcSinkFixture(database, database.newTable(), database.connector, reject = true)
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    val results = Seq(sink.stage(rows(0, 9): _*), sink.stage(rows(7, 13): _*))
    assert(driver.commit(0, results, Existing.Keep) === 2)
    assert(ids(sink.table) === (0 until 13))
    val rejected = s"SELECT row_json FROM ${sink.table}_rejected"
    assert(database.rows(rejected).map(_.head).sorted === Seq("(7,w7)", "(8,w8)"))
    sink.driver("q", "r2").begin(0)
    assert(database.rows(rejected).size === 2)
  }

  for {
    carriedOut <- Seq(false, true)
    at         <- 1 to 9
  }
    test(s"COMMIT $at breaks ${if (carriedOut) "after" else "before"} the database has done it") {
      val table = database.newHeap()
      val sink  =
        new JdbcSinkFixture(database, table, new BreakingConnections(database, at, carriedOut), batchRows = 2)
      val run = sink.driver("q", "r1")
      run.begin(0)
      run.commit(0, Seq(sink.stage(rows(0, 5): _*)), Existing.Keep)
      run.begin(1)
      run.commit(1, Seq(sink.stage(rows(5, 8): _*)), Existing.Keep)
      assert(ids(table) === (0 until 8))
    }
}
