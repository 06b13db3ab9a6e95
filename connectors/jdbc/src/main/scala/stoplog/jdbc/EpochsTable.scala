// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.log.BatchDigest

/** What a database knows of a sink.
  *
  * @param queryId   the query, the same over restarts from one checkpoint
  * @param runId     the start of the query that owns the row
  * @param lastEpoch the newest epoch in the target; none before the first
  * @param lastBatch what that batch was; none where nothing told
  */
private[jdbc] final case class SinkRow(
    queryId: String,
    runId: String,
    lastEpoch: Option[Long],
    lastBatch: Option[BatchDigest] = None
)

/** The table with a row for each sink, which the sinks make if it is not there.
  *
  * @param sink the name of this one's row
  */
private[jdbc] final case class EpochsTable(table: String, sink: String) {

  def create: String =
    s"CREATE TABLE $table (sink_name VARCHAR(255) NOT NULL PRIMARY KEY, query_id VARCHAR(64) NOT NULL, " +
      "run_id VARCHAR(64) NOT NULL, last_epoch BIGINT NOT NULL, last_batch VARCHAR(64))"

  /** Fails for a table of a release that did not write down what a batch was. */
  def shape: String = s"SELECT last_batch FROM $table WHERE 1 = 0"

  // All of what follows is done in a transaction of the caller.

  /** The row, which nobody else changes before the transaction has ended. An update locks in every database; how to
    * lock by reading differs.
    */
  def lock(session: Session): Option[SinkRow] = {
    val update = session.statement(s"UPDATE $table SET run_id = run_id WHERE sink_name = ?")
    update.setString(1, sink)
    if (update.executeUpdate() == 0) None else read(session)
  }

  def insert(session: Session, state: SinkRow): Unit = {
    val statement = session.statement(
      s"INSERT INTO $table (query_id, run_id, last_epoch, last_batch, sink_name) VALUES (?, ?, ?, ?, ?)"
    )
    write(statement, state)
  }

  def update(session: Session, state: SinkRow): Unit = {
    val statement =
      session.statement(
        s"UPDATE $table SET query_id = ?, run_id = ?, last_epoch = ?, last_batch = ? WHERE sink_name = ?"
      )
    write(statement, state)
  }

  def delete(session: Session): Unit = {
    val statement = session.statement(s"DELETE FROM $table WHERE sink_name = ?")
    statement.setString(1, sink)
    statement.executeUpdate()
    ()
  }

  private def write(statement: java.sql.PreparedStatement, state: SinkRow): Unit = {
    statement.setString(1, state.queryId)
    statement.setString(2, state.runId)
    statement.setLong(3, state.lastEpoch.getOrElse(EpochsTable.NoEpoch))
    statement.setString(4, state.lastBatch.map(_.value).orNull)
    statement.setString(5, sink)
    statement.executeUpdate()
    ()
  }

  private def read(session: Session): Option[SinkRow] = {
    val select =
      session.statement(s"SELECT query_id, run_id, last_epoch, last_batch FROM $table WHERE sink_name = ?")
    select.setString(1, sink)
    val result = select.executeQuery()
    try
      Option.when(result.next())(
        SinkRow(
          result.getString(1),
          result.getString(2),
          Some(result.getLong(3)).filter(_ != EpochsTable.NoEpoch),
          Option(result.getString(4)).map(BatchDigest(_))
        )
      )
    finally result.close()
  }
}

private[jdbc] object EpochsTable {
  private final val NoEpoch = -1L
}
