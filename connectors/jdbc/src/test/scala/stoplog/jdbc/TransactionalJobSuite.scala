// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Connection, SQLException, Statement => SqlStatement}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.engine.{Existing, TaskAttempt}
import stoplog.error.StoplogException
import stoplog.jdbc.client.ConnectionSource
import stoplog.jdbc.options.{JdbcOptions, WriteMode}
import stoplog.jdbc.spark.TransactionalJob
import stoplog.jdbc.staging.TaskOutcome
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.write.JdbcWriteSpec

/** What a batch job leaves behind when its commit fails: nothing, or what tells that its rows are there. */
class TransactionalJobSuite extends AnyFunSuite {
  private val database = TestDatabase.h2()
  private val schema   = new StructType().add("id", LongType).add("word", StringType)

  /** Connections whose COMMIT a test replaces. */
  private final class Connections extends ConnectionSource {
    var committing: Connection => Unit = _.commit()
    var isAway                         = false
    var mayDrop                        = true

    override def open(): Connection = {
      if (isAway) throw new SQLException("connection refused", "08001")
      val real = database.open()
      JdbcProxy[Connection](real) {
        case "commit" =>
          committing(real)
          null
        case "createStatement" if !mayDrop =>
          JdbcProxy.calls[SqlStatement](real.createStatement()) {
            case ("execute", Seq(sql: String)) if sql.startsWith("DROP") =>
              throw new SQLException("not for this user", "42501")
          }
      }
    }

    /** From now on a COMMIT has no answer, once. */
    def lose(carriedOut: Boolean): Unit = committing = { real =>
      committing = _.commit()
      if (carriedOut) real.commit() else real.rollback()
      real.close()
      throw new SQLException("connection reset", "08006")
    }
  }

  private final class Fixture {
    val table       = database.newHeap()
    val connections = new Connections
    private val job = {
      val options = JdbcOptions.parse(
        Map(
          "url"          -> database.url,
          "dbtable"      -> table,
          "retryTimeout" -> "0s"
        ).asJava
      )
      val target = TableCheck.target(options, schema, connections)
      val spec   = JdbcWriteSpec.of(options, schema, target, connections)
      new TransactionalJob(spec, options.mode.asInstanceOf[WriteMode.Transactional], "q", Existing.Keep)
    }
    val results: Seq[TaskOutcome] = {
      val task = job.begin(1).writer(TaskAttempt(None, 0, 0, 0)).get
      try {
        for (id <- 0L until 3L) task.write(InternalRow(id, UTF8String.fromString(s"w$id")))
        Seq(task.commit())
      } finally task.close()
    }

    def commit(): Unit = job.commit(results)

    def abort(): Unit = job.abort(results)

    def row: Seq[String] =
      database
        .rows(s"SELECT last_epoch FROM stoplog_epochs WHERE sink_name = '$table/job-q'")
        .map(_.head)
  }

  test("an executed COMMIT without a response keeps the job's row, named in the error") {
    val world = new Fixture
    world.connections.lose(carriedOut = true)
    val unknown = intercept[StoplogException](world.commit())
    assert(unknown.getCondition === "STOPLOG_UNKNOWN_OUTCOME")
    assert(unknown.getMessage.contains(s"the row of stoplog_epochs with sink_name ${world.table}/job-q"))
    world.abort()
    assert(world.row === Seq("0"))
    assert(database.count(world.table) === 3)
  }

  test("a COMMIT that was not executed leaves no rows") {
    val world = new Fixture
    world.connections.lose(carriedOut = false)
    intercept[StoplogException](world.commit())
    world.abort()
    assert(world.row === Nil)
    assert(database.count(world.table) === 0)
  }

  test("a failed job deletes its row although its staging table cannot be dropped") {
    val world = new Fixture
    world.connections.mayDrop = false
    intercept[Exception](world.abort())
    assert(world.row === Nil)
  }

  test("a committed job succeeds although its leftovers cannot be deleted") {
    val world = new Fixture
    world.connections.committing = { real =>
      real.commit()
      world.connections.isAway = true
    }
    world.commit()
    assert(world.row === Seq("0"))
    assert(database.count(world.table) === 3)
  }
}
