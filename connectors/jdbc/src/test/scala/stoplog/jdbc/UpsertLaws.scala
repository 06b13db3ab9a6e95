// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.{Try, Using}

import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.jdbc.client.{RequestOptions, Retries, Session}
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.{JdbcRow, RowKey}
import stoplog.jdbc.table.{RowColumn, TableCheck, TargetTable}
import stoplog.jdbc.write.{BatchScope, TaskRows, TaskSession}

/** What is asked of upserts into each database. */
abstract class UpsertLaws(newDatabase: => TestDatabase) extends AnyFunSuite {
  protected lazy val database: TestDatabase = newDatabase

  protected final def newTable(columns: String): String = {
    val table = s"${database.newHeap()}_k"
    database.execute(s"CREATE TABLE $table ($columns)")
    table
  }

  protected final def lastOfCases(table: String): Unit =
    for ((first, second) <- Seq("b" -> "B", "C" -> "c")) {
      new JdbcSinkFixture(database, table, database.connector, batchRows = 100)
        .upsert(first -> "old", second -> "new")
      assert(database.rows(s"SELECT word FROM $table WHERE id = '$first'") === Seq(Seq("new")))
    }

  private def rig(reject: Boolean = false, more: String = ""): JdbcSinkFixture =
    new JdbcSinkFixture(database, database.newTable(more), database.connector, reject)

  private def content(table: String): Seq[(Int, String)] =
    database.rows(s"SELECT id, word FROM $table ORDER BY id").map(row => row(0).toInt -> row(1))

  test("a key that the database may check only at the commit is rejected") {
    for {
      late <- Seq("INITIALLY DEFERRED", "INITIALLY IMMEDIATE")
      kind <- Seq("PRIMARY KEY", "UNIQUE")
    } {
      val columns = s"id BIGINT NOT NULL $kind DEFERRABLE $late, code BIGINT NOT NULL, UNIQUE (code)"
      val table   = Try(newTable(columns)).toOption
      assert(table.exists(acceptsTwice) === Set("Derby", "PostgreSQL")(database.name))
      for (made <- table) {
        def problems(key: String) = TableCheck.problems(
          Using.resource(database.open())(TargetTable.inspect(_, made, database.dialect)),
          Seq(RowColumn("id", LongType), RowColumn("code", LongType)),
          Seq(key),
          database.dialect
        )
        assert(problems("id").mkString.contains("use a key that is not deferrable") === acceptsTwice(made))
        if (!database.dialect.updatesAnyKey) assert(problems("code") === Nil)
      }
    }
  }

  /** Whether a transaction may insert two rows of one key before its commit. */
  private def acceptsTwice(table: String): Boolean = Using.resource(database.open()) { connection =>
    connection.setAutoCommit(false)
    val statement = connection.createStatement()
    Try(statement.execute("SET CONSTRAINTS ALL DEFERRED"))
    val accepted =
      Try((1 to 2).foreach(i => statement.execute(s"INSERT INTO $table (id, code) VALUES (7, $i)")))
    connection.rollback()
    accepted.isSuccess
  }

  test("inserts a row and replaces the row with its key") {
    val sink   = rig()
    sink.upsert(1L -> "a", 2L -> "b")
    val result = sink.upsert(2L -> "c", 3L -> null)
    assert(result.rows === 2)
    assert(content(sink.table) === Seq(1 -> "a", 2 -> "c", 3 -> null))
  }

  test("the last row of a key in a task wins, within and across batches") {
    val sink                        = rig()
    sink.upsert(5L                        -> "first", 5L -> "second", 1L -> "x", 2L -> "x", 3L -> "x", 4L -> "x", 5L -> "last")
    assert(content(sink.table).last === 5 -> "last")
  }

  test("repeating a task changes nothing") {
    val sink = rig()
    for (_ <- 1 to 2) sink.upsert((1L to 9L).map(id => id -> s"w$id"): _*)
    assert(content(sink.table) === (1 to 9).map(id => id -> s"w$id"))
  }

  test("upserts into a table of key columns only") {
    val table   = database.newTable()
    val keys    = database.target(table)
    val only    = keys.copy(columns = keys.columns.take(1))
    val session = new Session(database.connector, 0)
    val retries = new Retries(RequestOptions(0, 0), database.dialect, _ => ())
    val task    = TaskRows.upserts(
      TaskSession(
        session,
        new BatchScope.OwnTransaction(session, retries, only.writeFailed),
        retries,
        stoplog.fault.Faults.none
      ),
      only,
      RowKey(Vector(0), None),
      10,
      new Rejects.Fail(only, JdbcSinkFixture.text)
    )
    for (id <- Seq(1L, 2L, 1L)) task.write(new JdbcRow(Array[Any](id), null))
    task.finish()
    task.close()
    assert(database.count(table) === 2)
  }

  test("the row with the greater version wins within a batch, across batches and across tasks") {
    val table                   = database.newTable()
    def task(rows: (Any, Any)*) =
      new JdbcSinkFixture(database, table, database.connector, version = Some(1)).upsert(rows: _*)
    task(1L -> "b", 1L -> "c", 1L -> "a", 2L -> "x", 3L -> "x", 4L -> "x", 5L -> "x", 1L -> "b")
    assert(content(table).take(2) === Seq(1 -> "c", 2 -> "x"))
    task(1L -> "b", 2L -> "y")
    assert(content(table).take(2) === Seq(1 -> "c", 2 -> "y"))
    assert(intercept[StoplogException](task(1L -> null)).getCondition === "STOPLOG_BAD_ROW")
    database.execute(s"UPDATE $table SET word = NULL WHERE id = 1")
    task(1L                          -> "a")
    assert(content(table).head === 1 -> "a")
  }

  test("a bad row does not remove the row with the next version") {
    val table = database.newTable(" CHECK (word <> 'z')")
    val rig   = new JdbcSinkFixture(
      database,
      table,
      database.connector,
      reject = true,
      batchRows = 9,
      version = Some(1)
    )
    assert(rig.upsert(1L -> "b", 1L -> "z", 1L -> "c", 1L -> "a").rejects === 1)
    assert(content(table) === Seq(1 -> "c"))
  }

  test("a bad row fails by name, with the row and the database's message") {
    val sink = rig(more = " CHECK (word <> 'bad')")
    val e    = intercept[StoplogException](sink.upsert(1L -> "a", 2L -> "bad", 3L -> "c"))
    assert(e.getCondition === "STOPLOG_BAD_ROW")
    assert(e.getMessage.contains("(2,bad)"))
  }

  test("bad rows are rejected individually, and a repetition rejects none twice") {
    val sink = rig(reject = true, more = " CHECK (word <> 'bad')")
    val rows = (1L to 20L).map(id => id -> (if (id % 7 == 0) "bad" else "good"))
    for (_ <- 1 to 2) assert(sink.upsert(rows: _*).rejects === 2)
    assert(database.count(sink.table) === 18)
    val rejected =
      database.rows(s"SELECT row_json, batch, reason FROM ${sink.table}_rejected").sortBy(_.head)
    assert(rejected.map(_.head) === Seq("(14,bad)", "(7,bad)"))
    assert(rejected.forall(row => row(1) == "7" && row(2).nonEmpty))
  }

  test("a bad row does not remove earlier rows of its key") {
    val sink = rig(reject = true, more = " CHECK (word <> 'bad')")
    val done =
      sink.upsert(1L -> "a", 2L -> "bad", 1L -> "b", 1L -> "bad", 2L -> "c", 3L -> "bad", 3L -> "bad")
    assert(content(sink.table) === Seq(1 -> "b", 2 -> "c"))
    assert(done.rejects === 4)
  }

  test("a row without a key is a bad row") {
    val sink = rig(reject = true)
    assert(sink.upsert(1L -> "a", null.asInstanceOf[Any] -> "b").rejects === 1)
    assert(
      intercept[StoplogException](
        rig().upsert(null.asInstanceOf[Any] -> "b")
      ).getCondition === "STOPLOG_BAD_ROW"
    )
  }

  for {
    carriedOut <- Seq(false, true)
    at         <- 1 to 3
  }
    test(s"COMMIT $at breaks ${if (carriedOut) "after" else "before"} the database has done it") {
      val table = database.newTable()
      val sink  = new JdbcSinkFixture(database, table, new BreakingConnections(database, at, carriedOut))
      val done  = sink.upsert((1L to 12L).map(id => id -> s"w$id"): _*)
      assert(done.retries === 1)
      assert(content(table) === (1 to 12).map(id => id -> s"w$id"))
    }
}
