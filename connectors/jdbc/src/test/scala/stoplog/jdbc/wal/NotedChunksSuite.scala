// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.sql.SQLTransientException

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.jdbc.{BreakingConnections, TestDatabase}
import stoplog.jdbc.client.{ConnectionSource, JdbcStep, Session}
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.write.JdbcWriteSpec
import stoplog.wal.{ArrivalStatus, Chunk, ChunkRows, DecidedEpoch}

/** One chunk's transaction, over connections that break and rows that are bad. */
class NotedChunksSuite extends AnyFunSuite {
  private val schema = new StructType().add("id", LongType).add("word", StringType)
  private val chunk  = Chunk("main", "query", "chunk-1", Some(7L), 0, rows = 20)

  for (database <- Seq(TestDatabase.derby(), TestDatabase.postgres)) {
    for (carriedOut <- Seq(true, false))
      test(s"$database: a connection that breaks at COMMIT, ${if (carriedOut) "after" else "before"} it") {
        val table = database.newHeap()
        val notes = newNotes(database)
        val rig   = target(database, table, notes, new BreakingConnections(database, at = 1, carriedOut))
        rig.send(chunk, words(20))
        rig.close()
        assert(ids(database, table) === (0 until 20))
      }

    test(s"$database: a death before COMMIT has no effect, and the next attempt sends all rows") {
      val table = database.newHeap()
      val notes = newNotes(database)
      val dying = new Faults {
        override def at(step: Step): Unit = if (step == JdbcStep.InCommit) throw new InjectedFault(step)
      }
      val first = target(database, table, notes, database.connector, dying)
      intercept[InjectedFault](first.send(chunk, words(20)))
      assert(first.has(chunk) === ArrivalStatus.Missing)
      first.close()
      assert(ids(database, table) === Nil)
      val second = target(database, table, notes, database.connector)
      for (_ <- 1 to 2) second.send(chunk, words(20))
      assert(second.has(chunk) === ArrivalStatus.Arrived)
      second.close()
      assert(ids(database, table) === (0 until 20))
    }

    for (keys <- Seq(None, Some("id"))) {
      val kind = keys.fold("inserts")(_ => "upserts")
      test(s"$database, $kind: a bad row fails the chunk by name without partial rows") {
        val table = database.newTable(" CHECK (word <> 'w13')")
        val notes = newNotes(database)
        val rig   = target(database, table, notes, database.connector, keys.map("keyColumns" -> _).toSeq: _*)
        val e     = intercept[StoplogException](rig.send(chunk, words(20)))
        assert(e.getCondition === "STOPLOG_BAD_ROW")
        assert(e.getMessage.contains("13"))
        assert(rig.has(chunk) === ArrivalStatus.Missing)
        rig.close()
        assert(ids(database, table) === Nil)
      }

      test(s"$database, $kind: onBadRow=reject rejects the bad row and writes others once") {
        val table = database.newTable(" CHECK (word <> 'w13')")
        val notes = newNotes(database)
        val more  = keys.map("keyColumns" -> _).toSeq :+ ("onBadRow" -> "reject")
        val rig   = target(database, table, notes, database.connector, more: _*)
        for (_ <- 1 to 2) rig.send(chunk, words(20))
        rig.close()
        assert(ids(database, table) === (0 until 20).filter(_ != 13))
        assert(
          database.rows(s"SELECT row_json FROM ${table}_rejected") === Seq(
            Seq("{\"id\":13,\"word\":\"w13\"}")
          )
        )
      }
    }

    test(s"$database: a deferred constraint fails the chunk by name, or rejects its row") {
      val table = deferred(database, (0 until 20).filter(_ != 13).map(i => s"w$i"))
      val rig   = target(database, table, newNotes(database), database.connector)
      assert(intercept[StoplogException](rig.send(chunk, words(20))).getCondition === "STOPLOG_BAD_ROW")
      rig.close()
      assert(ids(database, table) === Nil)
      val rejecting =
        target(database, table, newNotes(database), database.connector, "onBadRow" -> "reject")
      rejecting.send(chunk, words(20))
      rejecting.close()
      assert(ids(database, table) === (0 until 20).filter(_ != 13))
      assert(database.count(s"${table}_rejected") === 1)
    }

    test(s"$database: accepts rows whose deferred constraint refers to a later row of the chunk") {
      val table = s"${database.newHeap()}_r"
      database.execute(
        s"CREATE TABLE $table (id BIGINT NOT NULL PRIMARY KEY, " +
          s"parent BIGINT REFERENCES $table DEFERRABLE INITIALLY DEFERRED)"
      )
      val parents = Seq[Any](9L, 0L, 77L, 4L, null, 2L, 19L) ++ Seq.fill(13)(3L)
      val columns = new StructType().add("id", LongType).add("parent", LongType)
      val rows    = new ChunkRows {
        override def iterator: Iterator[InternalRow] =
          parents.iterator.zipWithIndex.map { case (parent, id) => InternalRow(id.toLong, parent) }
      }
      val rig = target(database, table, columns, newNotes(database), "onBadRow" -> "reject")
      rig.send(chunk, rows)
      rig.close()
      // 2 refers to no row, and 5 refers to 2.
      assert(ids(database, table) === (0 until 20).filterNot(Set(2, 5)))
      assert(database.count(s"${table}_rejected") === 2)
    }

    test(s"$database: rejects a late claim without leaving a note") {
      val notes   = newNotes(database)
      val session = new Session(database.connector, 0)
      session.transaction(_ => notes.forgetBefore(session, "query", 8))
      session.transaction(_ => notes.forgetBefore(session, "query", 5))
      assert(!session.transaction(_ => notes.claim(session, chunk)))
      for ((epoch, isOver) <- Seq(7L -> true, 8L -> false)) {
        val other = chunk.copy(name = "chunk-2", epoch = Some(epoch))
        assert(session.transaction(_ => notes.has(session, other)) === isOver)
      }
      assert(session.transaction(_ => notes.claim(session, chunk.copy(epoch = Some(8L)))))
      assert(session.transaction(_ => notes.claim(session, chunk.copy(query = "another"))))
      session.close()
      assert(database.count(notes.table) === 3)
      assert(
        database.rows(s"SELECT newest_epoch FROM ${notes.table} WHERE epoch = -1") === Seq(Seq("8"))
      )
    }
  }

  for (database <- Seq(TestDatabase.derby(), TestDatabase.postgres))
    test(s"$database: an epoch has a single decision, and no earlier epoch starts afterwards") {
      val notes                                = newNotes(database)
      val session                              = new Session(database.connector, 0)
      def begun(epoch: Long, decision: String) = {
        val newest = session.transaction(_ => notes.begin(session, DecidedEpoch("query", epoch, decision)))
        newest.epoch -> newest.decision
      }
      for (_ <- 1 to 2) assert(begun(7, "a") === (7L -> "a"))
      assert(begun(7, "b") === (7L -> "a"))
      assert(begun(6, "b") === (7L -> "a"))
      session.transaction(_ => notes.forgetBefore(session, "query", 7))
      assert(begun(7, "b") === (7L -> "a"))
      assert(begun(9, "b") === (9L -> "b"))
      session.transaction(_ => notes.forgetBefore(session, "query", 10))
      assert(begun(10, "c") === (10L -> "c"))
      assert(begun(10, "d") === (10L -> "c"))
      session.close()
      assert(database.count(notes.table) === 1)
    }

  for (database <- Seq(TestDatabase.derby(), TestDatabase.postgres))
    test(s"$database: of two processes that note one chunk at the same time, the later one tries again") {
      val notes  = newNotes(database)
      val first  = new Session(database.connector, 0)
      val second = new Session(database.connector, 0)
      // After the second process has found no note.
      val racing = notes.copy(nowMillis = () => {
        first.transaction(_ => notes.put(first, chunk))
        43L
      })
      intercept[SQLTransientException](second.transaction(_ => racing.put(second, chunk)))
      second.transaction(_ => racing.put(second, chunk))
      Seq(first, second).foreach(_.close())
      assert(database.rows(s"SELECT noted_millis FROM ${notes.table}") === Seq(Seq("42")))
    }

  /** A table whose words must be in another table at the commit. */
  private def deferred(database: TestDatabase, words: Seq[String]): String = {
    val table = s"${database.newHeap()}_d"
    database.execute(s"CREATE TABLE ${table}_w (w VARCHAR(9) NOT NULL PRIMARY KEY)")
    database.execute(words.map(w => s"INSERT INTO ${table}_w VALUES ('$w')"): _*)
    database.execute(
      s"CREATE TABLE $table (id BIGINT, " +
        s"word VARCHAR(9) REFERENCES ${table}_w DEFERRABLE INITIALLY DEFERRED)"
    )
    table
  }

  private def newNotes(database: TestDatabase): ChunksTable = {
    val table = ChunksTable(s"notes_${database.newHeap()}", database.dialect, () => 42L)
    database.execute(table.create)
    table
  }

  private def target(
      database: TestDatabase,
      table: String,
      notes: ChunksTable,
      connector: ConnectionSource,
      more: (String, String)*
  ): NotedChunks = target(database, table, notes, connector, Faults.none, more: _*)

  private def target(
      database: TestDatabase,
      table: String,
      notes: ChunksTable,
      connector: ConnectionSource,
      faults: Faults,
      more: (String, String)*
  ): NotedChunks =
    new NotedChunks(transactions(database, table, schema, connector, more), notes, faults)

  private def target(
      database: TestDatabase,
      table: String,
      columns: StructType,
      notes: ChunksTable,
      more: (String, String)*
  ): NotedChunks =
    new NotedChunks(transactions(database, table, columns, database.connector, more), notes, Faults.none)

  private def transactions(
      database: TestDatabase,
      table: String,
      columns: StructType,
      connector: ConnectionSource,
      more: Seq[(String, String)]
  ): ChunkTransactions = {
    val request = Map("url" -> database.url, "dbtable" -> table, "batchsize" -> "6") ++ more
    val options = JdbcOptions.parse(request.asJava)
    val target  = TableCheck.target(options, columns, database.connector)
    val spec    = JdbcWriteSpec.of(options, columns, target, connector)
    new ChunkTransactions(
      spec.copy(connections = spec.connections.copy(pause = _ => ())),
      () => ()
    )
  }

  private def words(count: Int): ChunkRows = new ChunkRows {
    override def iterator: Iterator[InternalRow] =
      (0 until count).iterator.map(id => InternalRow(id.toLong, UTF8String.fromString(s"w$id")))
  }

  private def ids(database: TestDatabase, table: String): Seq[Int] =
    database.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt)
}
