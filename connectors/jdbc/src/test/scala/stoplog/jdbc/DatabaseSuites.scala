// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files
import java.time.LocalDateTime

import scala.util.Using

import stoplog.engine.Existing
import stoplog.error.StoplogException
import stoplog.jdbc.staging.EpochStatus
import stoplog.jdbc.types.SqlArray

class DerbyUpsertSuite  extends UpsertLaws(TestDatabase.derby())
class H2UpsertSuite     extends UpsertLaws(TestDatabase.h2())
class SqliteUpsertSuite extends UpsertLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))

class PostgresUpsertSuite extends UpsertLaws(TestDatabase.postgres) {
  test("the last row of an array key wins within a batch") {
    val table = newTable("id TEXT[] PRIMARY KEY, word TEXT")
    val sink  = new JdbcSinkFixture(database, table, database.connector, batchRows = 100)
    def key   = SqlArray("text", Array("a", null))
    sink.upsert((1 to 20).map(i => key -> s"w$i"): _*)
    assert(database.rows(s"SELECT word FROM $table") === Seq(Seq("w20")))
  }

  test("the last row of a key wins if equal keys have several texts") {
    val table = newTable("id INET PRIMARY KEY, word TEXT")
    for ((first, second) <- Seq("10.0.0.1/32" -> "10.0.0.1", "10.0.0.1" -> "10.0.0.1/32")) {
      new JdbcSinkFixture(database, table, database.connector, batchRows = 100)
        .upsert(first -> "old", second -> "new")
      assert(database.rows(s"SELECT word FROM $table") === Seq(Seq("new")))
    }
  }

  test("the last row of a key in another case wins if the database ignores case") {
    database.execute(
      "CREATE COLLATION IF NOT EXISTS nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    lastOfCases(newTable("id TEXT COLLATE nocase PRIMARY KEY, word TEXT"))
  }
}

class MariaDbUpsertSuite extends UpsertLaws(TestDatabase.mariaDb) {
  test("rejects values that the character set of the database lacks") {
    database.execute("CREATE DATABASE IF NOT EXISTS plain CHARACTER SET latin1")
    val table = s"plain.${database.newHeap()}"
    database.execute(s"CREATE TABLE $table (id BIGINT PRIMARY KEY, word VARCHAR(9))")
    val sink = new JdbcSinkFixture(database, table, database.connector, reject = true)
    assert(sink.upsert(1L -> "\u00e9", 2L -> "\u0436").rejects === 1)
    assert(database.rows(s"SELECT row_json FROM ${table}_rejected") === Seq(Seq("(2,\u0436)")))
  }

  test("rejects individual values that an ENUM does not list") {
    val table = newTable("id BIGINT PRIMARY KEY, word ENUM('sad', 'ok')")
    val sink  = new JdbcSinkFixture(database, table, database.connector, reject = true)
    assert(sink.upsert(1L -> "sad", 2L -> "glad", 3L -> "ok").rejects === 1)
    assert(database.rows(s"SELECT id FROM $table ORDER BY id") === Seq(Seq("1"), Seq("3")))
  }

  test("the last row of a key in another case wins if the database ignores case") {
    lastOfCases(newTable("id VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, word TEXT"))
    val letters = newTable("id VARCHAR(9) COLLATE utf8mb4_uca1400_ai_ci PRIMARY KEY, word TEXT")
    new JdbcSinkFixture(database, letters, database.connector, batchRows = 100)
      .upsert("\u00f8" -> "old", "o" -> "new")
    assert(database.rows(s"SELECT word FROM $letters") === Seq(Seq("new")))
  }
}

class DerbyEpochSuite extends EpochLaws(TestDatabase.derby())
class H2EpochSuite    extends EpochLaws(TestDatabase.h2())

class SqliteEpochSuite extends EpochLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite"))) {
  test("a bad row that ends the transaction fails the epoch, and no row is committed alone") {
    val table = s"${database.newHeap()}_r"
    database.execute(
      s"CREATE TABLE $table (id BIGINT UNIQUE ON CONFLICT ROLLBACK, word TEXT)",
      s"INSERT INTO $table VALUES (7, 'old')"
    )
    val sink   = new JdbcSinkFixture(database, table, database.connector, reject = true)
    val driver = sink.driver("q", "r1")
    driver.begin(0)
    val results = Seq(sink.stage(1L -> "a", 2L -> "b"), sink.stage(3L -> "c", 7L -> "d"))
    val e       = intercept[StoplogException](driver.commit(0, results, Existing.Keep))
    assert(e.getCondition === "STOPLOG_REQUEST_FAILED")
    assert(database.rows(s"SELECT id FROM $table") === Seq(Seq("7")))
    assert(sink.driver("q", "r2").begin(0) === EpochStatus.Open)
  }
}

class PostgresEpochSuite extends EpochLaws(TestDatabase.postgres) {
  test("rejects individual rows that violate a deferred constraint") {
    val table = s"${database.newHeap()}_d"
    database.execute(
      s"CREATE TABLE ${table}_p (id TEXT PRIMARY KEY)",
      s"INSERT INTO ${table}_p VALUES ('p')",
      s"CREATE TABLE $table (id BIGINT, word TEXT REFERENCES ${table}_p DEFERRABLE INITIALLY DEFERRED)"
    )
    assert(epoch(table, 1L -> "p", 2L -> "none", 3L -> "p") === 1)
    assert(ids(table) === Seq("1", "3"))
    assert(database.rows(s"SELECT row_json FROM ${table}_rejected") === Seq(Seq("(2,none)")))
  }

  test("accepts rows whose deferred constraint refers to a later row of the epoch") {
    val table = s"${database.newHeap()}_s"
    database.execute(
      s"CREATE TABLE $table (id TEXT PRIMARY KEY, word TEXT REFERENCES $table DEFERRABLE INITIALLY DEFERRED)"
    )
    val rows = Seq("a" -> "f", "b" -> "a", "c" -> "none", "d" -> "e", "e" -> null, "f" -> "d")
    assert(epoch(table, rows: _*) === 1)
    assert(ids(table) === Seq("a", "b", "d", "e", "f"))
  }

  test("accepts rows that a trigger or a rule of the target moves elsewhere") {
    val table = database.newHeap()
    database.execute(
      s"CREATE TABLE ${table}_c (id BIGINT, word TEXT)",
      s"CREATE FUNCTION ${table}_f() RETURNS trigger LANGUAGE plpgsql AS " +
        s"$$$$ BEGIN INSERT INTO ${table}_c VALUES (new.*); RETURN NULL; END $$$$",
      s"CREATE TRIGGER tr BEFORE INSERT ON $table FOR EACH ROW WHEN (new.id > 1) EXECUTE FUNCTION ${table}_f()"
    )
    assert(epoch(table, 1L -> "here", 2L -> "there", 3L -> "there") === 0)
    assert(ids(table) === Seq("1"))
    assert(ids(s"${table}_c") === Seq("2", "3"))
    database.execute(s"CREATE RULE r AS ON INSERT TO $table DO INSTEAD NOTHING")
    val rig    = new JdbcSinkFixture(database, table, database.connector)
    val driver = rig.driver("q", "r2")
    driver.begin(1)
    driver.commit(1, Seq(rig.stage(4L -> "nowhere")), Existing.Keep)
    assert(ids(table) === Seq("1"))
  }

  test("a local time that the zone of the JVM skips stays the same") {
    val table = s"${database.newHeap()}_t"
    database.execute(s"CREATE TABLE $table (id BIGINT, word TIMESTAMP)")
    val times = Seq("2026-03-29T02:30", "2026-03-29T03:30", "2026-10-25T02:30").map(LocalDateTime.parse(_))
    Zones.in("Europe/Berlin") {
      assert(epoch(table, times.zipWithIndex.map { case (time, id) => id.toLong -> time }: _*) === 0)
    }
    assert(
      database.rows(s"SELECT word FROM $table ORDER BY id").map(_.head) ===
        Seq("2026-03-29 02:30:00", "2026-03-29 03:30:00", "2026-10-25 02:30:00")
    )
  }

  test("rejects a value that is too large for an index") {
    val table = s"${database.newHeap()}_l"
    database.execute(s"CREATE TABLE $table (id BIGINT, word TEXT UNIQUE)")
    val large = Iterator.iterate(7L)(_ * 6364136223846793005L + 1).take(2000).mkString
    assert(epoch(table, 1L -> "a", 2L -> large, 3L -> "b") === 1)
    assert(ids(table) === Seq("1", "3"))
  }

  test("an epoch of many rows empties the staging table, and does not wait for an abandoned attempt") {
    def staged(sink: JdbcSinkFixture) = database.count(sink.tables.staging.table)
    val sink                          =
      new JdbcSinkFixture(database, database.newHeap(), database.connector, batchRows = 5000)
    val driver = sink.driver("q", "r")
    driver.begin(0)
    sink.stage(1L -> "unreported", 2L -> "unreported")
    driver.commit(0, Seq(sink.stage((1L to 10L).map(_ -> "few"): _*)), Existing.Keep)
    assert(staged(sink) === 2)
    driver.begin(1)
    driver.commit(1, Seq(sink.stage((11L to 10010L).map(_ -> "many"): _*)), Existing.Keep)
    assert(staged(sink) === 0)
    assert(ids(sink.table).map(_.toLong) === (1L to 10010L))
    driver.begin(2)
    val results = Seq(sink.stage((10011L to 20010L).map(_ -> "more"): _*))
    Using.resource(database.open()) { abandoned =>
      abandoned.setAutoCommit(false)
      abandoned
        .createStatement()
        .execute(
          s"INSERT INTO ${sink.tables.staging.table} (stoplog_attempt, stoplog_row) VALUES ('abandoned', 0)"
        )
      driver.commit(2, results, Existing.Keep)
      assert(staged(sink) === 0)
    }
    assert(database.count(sink.table) === 20010)
  }

  test("rows that are staged together keep their values and numbers") {
    val table = s"${database.newHeap()}_v"
    database.execute(s"CREATE TABLE $table (id BIGINT, word TEXT)")
    val sink = new JdbcSinkFixture(database, table, database.connector, batchRows = 3)
    sink.driver("q", "r").begin(0)
    val words = Seq("a", null, "", " {\"x\",NULL} ", "\\", "\u0436\n", "last")
    sink.stage(words.indices.map(i => i.toLong -> words(i)): _*)
    assert(
      database.rows(
        s"SELECT stoplog_row, id, word FROM ${sink.tables.staging.table} ORDER BY stoplog_row"
      ) ===
        words.indices.map(i => Seq(i.toString, i.toString, words(i)))
    )
  }

  /** Commits an epoch with rejects, and returns the number of rows that the target rejected. */
  private def epoch(table: String, rows: (Any, Any)*): Long = {
    val rig    = new JdbcSinkFixture(database, table, database.connector, reject = true)
    val driver = rig.driver("q", "r")
    driver.begin(0)
    driver.commit(0, Seq(rig.stage(rows: _*)), Existing.Keep)
  }

  private def ids(table: String) = database.rows(s"SELECT id FROM $table ORDER BY id").map(_.head)

  test("the staging table is recreated for a changed column type with the same JDBC type") {
    val table = s"${database.newHeap()}_z"
    replaced(
      s"CREATE TYPE ${table}_word AS ENUM ('a')",
      s"CREATE TABLE $table (id BIGSERIAL, word ${table}_word)"
    )(
      s"ALTER TABLE $table ALTER COLUMN word TYPE TEXT"
    )(table, "b")
  }
}

class MariaDbEpochSuite extends EpochLaws(TestDatabase.mariaDb) {
  test("the staging table is recreated for a changed character set") {
    val table = s"${database.newHeap()}_c"
    replaced(s"CREATE TABLE $table (id BIGINT, word VARCHAR(100) CHARACTER SET latin1)")(
      s"ALTER TABLE $table MODIFY word VARCHAR(100) CHARACTER SET utf8mb4"
    )(table, "\u0436")
    assert(database.rows(s"SELECT word FROM $table WHERE id = 1") === Seq(Seq("\u0436")))
  }
}
