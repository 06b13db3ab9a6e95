// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.commit.ForeignQuery
import stoplog.fault.Faults
import stoplog.jdbc.client.{ConnectionSource, Dialect, RequestOptions, Retries, Session}
import stoplog.jdbc.rejects.{RejectTable, Rejects, StagedText}
import stoplog.jdbc.rows.{JdbcRow, RowKey}
import stoplog.jdbc.staging.{CreatedTables, EpochDriver, SinkOwner, SinkTables, StagingTable, TaskOutcome}
import stoplog.jdbc.write.{BatchScope, TaskRows, TaskSession}

/** The sink without Spark: tasks and drivers over one table of columns `id` and `word`.
  *
  * @param reject whether bad rows are put aside
  */
final class JdbcSinkFixture(
    database: TestDatabase,
    val table: String,
    connector: ConnectionSource,
    reject: Boolean = false,
    faults: Faults = Faults.none,
    batchRows: Int = 4,
    epochs: Option[String] = None,
    version: Option[Int] = None
) {
  private[jdbc] val target  = database.target(table)
  private[jdbc] val rejects = RejectTable(s"${table}_rejected", JdbcSinkFixture.textOf(database))
  private[jdbc] val tables  =
    SinkTables.of(target, "main", epochs, Option.when(reject)(rejects -> JdbcSinkFixture.Texts))

  private[jdbc] def session(): Session = new Session(connector, 0)

  private var nowMillis = 0L

  /** Three attempts. */
  private[jdbc] def retries(): Retries =
    new Retries(
      RequestOptions(0, retryTimeoutMillis = 2),
      database.dialect,
      _ => nowMillis += 1,
      () => nowMillis
    )

  private[jdbc] def driver(
      query: String,
      run: String,
      onForeign: ForeignQuery = ForeignQuery.Refuse
  ): EpochDriver = new EpochDriver(
    tables,
    SinkOwner(run, Some(query)),
    onForeign,
    () => session(),
    () => retries(),
    faults
  )

  /** One task of upserts. */
  private[jdbc] def upsert(rows: (Any, Any)*): TaskOutcome = {
    val session = this.session()
    val retries = this.retries()
    val keep    = new Rejects.Keep(
      "sink",
      Some(7),
      batchRows,
      JdbcSinkFixture.text,
      Rejects.contentId("sink", Some(7)),
      bad => retries(target.writeFailed)(_ => session.transaction(_ => rejects.replace(session, bad)))
    )
    if (reject) new CreatedTables(session, retries, target).ensure(rejects.table, rejects.create)
    val bad: Rejects = if (reject) keep else new Rejects.Fail(target, JdbcSinkFixture.text)
    run(
      TaskRows.upserts(
        access(session, retries),
        target,
        RowKey.of(target.columns, Vector(0), version),
        batchRows,
        bad
      ),
      rows
    )
  }

  /** One task of an epoch of exactly-once inserts. */
  private[jdbc] def stage(rows: (Any, Any)*): TaskOutcome = {
    val session = this.session()
    val retries = this.retries()
    val attempt = StagingTable.newAttempt()
    val bad     = tables.rejects.fold[Rejects](new Rejects.Fail(target, JdbcSinkFixture.text)) { staged =>
      new Rejects.Keep(
        tables.sink,
        Some(7),
        batchRows,
        JdbcSinkFixture.text,
        (n, _) => s"$attempt-$n",
        rows => session.transaction(_ => staged.staging.insert(session, attempt, 0, rows))
      )
    }
    run(
      TaskRows.staged(
        access(session, retries),
        target,
        tables.staging,
        attempt,
        batchRows,
        bad
      ),
      rows
    )
  }

  private def access(session: Session, retries: Retries) =
    TaskSession(
      session,
      new BatchScope.OwnTransaction(session, retries, target.writeFailed),
      retries,
      faults
    )

  private def run(task: TaskRows, rows: Seq[(Any, Any)]): TaskOutcome =
    try {
      rows.foreach { case (id, word) => task.write(new JdbcRow(Array[Any](id, word), null)) }
      task.finish()
    } finally task.close()
}

object JdbcSinkFixture {
  private[jdbc] def text(row: JdbcRow): String = row.values.mkString("(", ",", ")")

  private[jdbc] object Texts extends StagedText {
    override def text(result: java.sql.ResultSet): String = {
      result.next()
      s"(${result.getString(1)},${result.getString(2)})"
    }
  }

  private def textOf(database: TestDatabase): String = database.dialect match {
    case Dialect.Derby | Dialect.Merge => "CLOB"
    case _                             => "TEXT"
  }
}
