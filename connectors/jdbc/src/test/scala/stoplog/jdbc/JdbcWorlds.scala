// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.concurrent.atomic.AtomicInteger

import stoplog.commit.BatchDigests
import stoplog.engine.Existing
import stoplog.fault.Faults
import stoplog.jdbc.staging.EpochStatus
import stoplog.log.BatchDigest
import stoplog.matrix.{ConnectorRows, ConnectorWorld}

/** One table of a database, and processes without Spark that write to it. */
abstract class JdbcWorld(database: TestDatabase, protected val table: String, rows: ConnectorRows)
    extends ConnectorWorld {
  private val mortals   = new MortalConnections(database)
  private val processes = new AtomicInteger

  protected def process(rig: JdbcSinkFixture, number: Int, tasks: Int): ConnectorWorld.Process

  /** Writes an epoch again, with the rows of a new plan. */
  protected def writeAnew(rig: JdbcSinkFixture, epoch: Long): Unit

  protected final def rig(faults: Faults): JdbcSinkFixture =
    new JdbcSinkFixture(database, table, mortals, faults = faults)

  /** Each process has other tasks than the one before. */
  override final def process(faults: Faults): ConnectorWorld.Process = {
    val number = processes.incrementAndGet()
    process(rig(faults), number, tasks = 1 + number % 3)
  }

  override final def restored(epoch: Long): Option[ConnectorWorld.Restored] = Some(
    new ConnectorWorld.Restored {
      override def write(): Unit                                      = writeAnew(rig(Faults.none), epoch)
      override def problems(fate: ConnectorRows.Anew): Vector[String] = rows.problemsAnew(found, epoch, fate)
    }
  )

  override def processesDied(): Unit = mortals.die()

  override def surplus(): Vector[String] = rows.surplus(found)

  override def problems(epochs: Long): Vector[String] = rows.problems(found, epochs)

  override def result: String = rows.result

  protected final def found: Seq[ConnectorRows.Row] =
    database.rows(s"SELECT id, word FROM $table").map(row => row.head.toLong -> row(1))
}

/** Into a table without a key, in which a row that came twice would be seen. */
final class InsertsWorld(database: TestDatabase)
    extends JdbcWorld(database, database.newHeap(), ConnectorRows.Inserts) {

  override protected def process(rig: JdbcSinkFixture, number: Int, tasks: Int): ConnectorWorld.Process =
    new ConnectorWorld.Process {
      private val driver = rig.driver("query", s"run-$number")

      override def epoch(epoch: Long): Unit = if (
        driver.begin(epoch, InsertsWorld.planned) == EpochStatus.Open
      ) {
        val shares = ConnectorRows.Inserts.inTasks(epoch, tasks)
        driver.commit(epoch, shares.map(rig.stage(_: _*)), Existing.Keep)
        ()
      }
    }

  override protected def writeAnew(rig: JdbcSinkFixture, epoch: Long): Unit = {
    val driver = rig.driver("query", "run-anew")
    if (driver.begin(epoch, InsertsWorld.plannedAnew(epoch)) == EpochStatus.Open) {
      val shares = ConnectorRows.Inserts.anewInTasks(epoch, tasks = 2)
      driver.commit(epoch, shares.map(rig.stage(_: _*)), Existing.Keep)
      ()
    }
  }

  override def surplus(): Vector[String] = super.surplus() ++
    Option.when(found.size % ConnectorRows.RowsOfEpoch != 0)("a part of an epoch is there")

  override def problems(epochs: Long): Vector[String] = {
    val staged = database.count(rig(Faults.none).tables.staging.table)
    super.problems(epochs) ++ Option.when(staged > 0)(s"$staged rows are staged")
  }
}

private object InsertsWorld {
  val planned: BatchDigests = batch => Some(BatchDigest(s"batch $batch"))

  def plannedAnew(epoch: Long): BatchDigests =
    batch => if (batch == epoch) Some(BatchDigest(s"batch $batch anew")) else planned.of(batch)
}

/** Writes to a table with a key and without an epochs table: the last write of a row replaces the whole row. */
final class UpsertsWorld(database: TestDatabase)
    extends JdbcWorld(database, database.newTable(), ConnectorRows.Upserts) {

  override protected def process(rig: JdbcSinkFixture, number: Int, tasks: Int): ConnectorWorld.Process =
    (epoch: Long) => ConnectorRows.Upserts.inTasks(epoch, tasks).foreach(rig.upsert(_: _*))

  override protected def writeAnew(rig: JdbcSinkFixture, epoch: Long): Unit =
    ConnectorRows.Upserts.anewInTasks(epoch, tasks = 2).foreach(rig.upsert(_: _*))
}
