// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import java.sql.ResultSet

import stoplog.jdbc.client.Session
import stoplog.log.{BatchDigest, QueryEpoch}

/** The row of a sink in the epochs table.
  *
  * @param newest the query that owns the sink, stable across restarts from one checkpoint, with its newest
  *               epoch in the target
  * @param runId  the run of the query that owns the row
  */
private[jdbc] final case class SinkRow(newest: QueryEpoch, runId: String)

/** The table of epochs, which the sinks create if the table does not exist. The table contains one row for
  * each sink, with the owning query. It also contains one row for each former query from which another query
  * adopted the sink, because the former query may return with a committed epoch. A further row is the note of
  * [[stoplog.commit.OneStart]].
  *
  * @param sink the name of this sink's rows
  */
private[jdbc] final case class EpochsTable(table: String, sink: String) {
  import EpochsTable._

  def create: String =
    s"CREATE TABLE $table (sink_name VARCHAR(255) NOT NULL, former_query VARCHAR(64) NOT NULL, " +
      "query_id VARCHAR(64) NOT NULL, run_id VARCHAR(64) NOT NULL, last_epoch BIGINT NOT NULL, " +
      "last_batch VARCHAR(64), PRIMARY KEY (sink_name, former_query))"

  // The methods below run in a transaction of the caller.

  /** Locks and returns the row: no other transaction changes the row before this transaction ends. An update
    * locks the row in every database; locking reads differ between databases.
    */
  def lock(session: Session): Option[SinkRow] =
    if (session.update(s"UPDATE $table SET run_id = run_id WHERE $key", sink, Owner) == 0) None
    else read(session, Owner)

  /** Inserts the row of a sink without a row. Rows of former queries remain from a row that an operator has
    * deleted.
    */
  def begin(session: Session, row: SinkRow): Unit = {
    delete(session)
    insert(session, Owner, row)
  }

  def update(session: Session, row: SinkRow): Unit = write(
    session,
    s"UPDATE $table SET query_id = ?, run_id = ?, last_epoch = ?, last_batch = ? WHERE $key",
    Owner,
    row
  )

  /** Keeps the row of a query from which another query adopts the sink. */
  def leave(session: Session, row: SinkRow): Unit = {
    session.update(s"DELETE FROM $table WHERE $key", sink, row.newest.queryId)
    insert(session, row.newest.queryId, row)
  }

  /** Returns the newest epoch of a query that has left the sink, if the sink has the query's row. */
  def leftBy(session: Session, query: String): Option[QueryEpoch] = read(session, query).map(_.newest)

  /** Returns the run that used `adoptAndRepeat`, if no run without `adoptAndRepeat` has claimed the sink
    * since.
    */
  def repeatedBy(session: Session): Option[String] = read(session, Repeated).map(_.runId)

  /** Writes or deletes this note.
    *
    * @param before the run in the current note
    * @param row    the row of the run for the new note
    */
  def noteRepeated(session: Session, before: Option[String], row: Option[SinkRow]): Unit =
    (before, row) match {
      case (None, Some(used)) => insert(session, Repeated, used)
      case (Some(_), None)    => session.update(s"DELETE FROM $table WHERE $key", sink, Repeated): Unit
      case (None, None) | (Some(_), Some(_)) => ()
    }

  def delete(session: Session): Unit = {
    session.update(s"DELETE FROM $table WHERE sink_name = ?", sink)
    ()
  }

  private def insert(session: Session, former: String, row: SinkRow): Unit = write(
    session,
    s"INSERT INTO $table (query_id, run_id, last_epoch, last_batch, sink_name, former_query) " +
      "VALUES (?, ?, ?, ?, ?, ?)",
    former,
    row
  )

  private def write(session: Session, sql: String, former: String, row: SinkRow): Unit = {
    val QueryEpoch(query, epoch, batch) = row.newest
    session.update(sql, query, row.runId, epoch.getOrElse(NoEpoch), batch.map(_.value).orNull, sink, former)
    ()
  }

  private def read(session: Session, former: String): Option[SinkRow] =
    session.query(
      s"SELECT query_id, run_id, last_epoch, last_batch FROM $table WHERE $key",
      sink,
      former
    )(result => Option.when(result.next())(row(result)))

  private def row(result: ResultSet): SinkRow = {
    val epoch = Some(result.getLong(3)).filter(_ != NoEpoch)
    val batch = Option(result.getString(4)).map(BatchDigest(_))
    SinkRow(QueryEpoch(result.getString(1), epoch, batch), result.getString(2))
  }

  private def key: String = "sink_name = ? AND former_query = ?"
}

private object EpochsTable {

  // The key of the row of the owning query; not a valid query id.
  final val Owner = "-"

  // The key of the row of the run that used adoptAndRepeat.
  final val Repeated = "adoptAndRepeat"

  final val NoEpoch = -1L
}
