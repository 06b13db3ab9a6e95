// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.SQLException

import stoplog.error.{ErrorMaker, StoplogArgumentException, StoplogException}

/** Every error of this connector, by name, as `stoplog.error.Errors` has those of all. */
private[stoplog] object JdbcErrors extends ErrorMaker {

  // Options and schemas.

  /** @param problems all of them, each a sentence */
  def table(table: String, database: String, problems: Seq[String]): StoplogArgumentException =
    argument("STOPLOG_JDBC_TABLE", Seq("table" -> table, "database" -> database) ++ listed(problems): _*)

  /** @param mode `complete` or `overwrite` */
  def outputMode(mode: String): StoplogArgumentException =
    argument("STOPLOG_JDBC_OUTPUT_MODE", "mode" -> mode)

  /** At the start. It is an argument's error, which Python shows without Java's stack. */
  def unreachable(database: String, why: Throwable): StoplogArgumentException =
    argument("STOPLOG_JDBC_UNREACHABLE", why, "database" -> database, "why" -> said(why))

  /** @param table one of the sink's own */
  def ownTable(table: String, database: String, why: Throwable): StoplogException =
    refused("STOPLOG_JDBC_OWN_TABLE", why, "table" -> table, "database" -> database)

  // Rows.

  /** @param row as a text; empty if it is not known which one it is */
  def badRow(table: String, row: String, why: Throwable): StoplogException =
    refused("STOPLOG_JDBC_BAD_ROW", why, "table" -> table, "row" -> (if (row.isEmpty) "" else s" $row"))

  def nullKey(table: String, column: String): StoplogException =
    failure("STOPLOG_JDBC_NULL_KEY", "table" -> table, "column" -> column)

  // While it runs.

  def writeFailed(table: String, database: String, why: Throwable): StoplogException =
    refused("STOPLOG_JDBC_WRITE", why, "table" -> table, "database" -> database)

  private[jdbc] def unknownOutcome(tables: SinkTables, epoch: Long, why: Throwable): StoplogException =
    refused(
      "STOPLOG_JDBC_UNKNOWN_OUTCOME",
      why,
      "sink"     -> tables.sink,
      "database" -> tables.target.database,
      "epochs"   -> tables.epochs.table,
      "epoch"    -> epoch
    )

  private[jdbc] def stagingLost(
      staging: String,
      target: Target,
      wanted: Long,
      found: Long
  ): StoplogException = failure(
    "STOPLOG_JDBC_STAGING_LOST",
    "staging"  -> staging,
    "database" -> target.database,
    "wanted"   -> wanted,
    "found"    -> found,
    "table"    -> target.table
  )

  // Whose table it is.

  private[jdbc] def fenced(sink: String, target: Target, other: String): StoplogException =
    owned("STOPLOG_JDBC_FENCED", sink, target, "other" -> other)

  private[jdbc] def foreignQuery(
      sink: String,
      target: Target,
      owner: String,
      query: String,
      again: String
  ): StoplogException = owned(
    "STOPLOG_JDBC_FOREIGN_QUERY",
    sink,
    target,
    "owner" -> owner,
    "query" -> query,
    "again" -> again
  )

  /** The database is behind the checkpoint. `last` is `none` when it has no epoch. */
  private[jdbc] def epochGap(sink: String, target: Target, last: String, batch: Long): StoplogException =
    owned("STOPLOG_JDBC_EPOCH_GAP", sink, target, "lastEpoch" -> last, "batch" -> batch)

  /** The database is ahead of the checkpoint, or holds another batch than it.
    *
    * @param starts how Spark does
    * @param batch  the first whose rows will come again if the sink is begun anew
    */
  private[jdbc] def epochAhead(
      sink: String,
      target: Target,
      last: Long,
      starts: String,
      batch: Long
  ): StoplogException = owned(
    "STOPLOG_JDBC_EPOCH_AHEAD",
    sink,
    target,
    "lastEpoch" -> last,
    "starts"    -> starts,
    "again"     -> (if (batch == last) s"epoch $last" else s"epochs $batch to $last")
  )

  /** The database's message: a batch's own exception only says that there is another one behind it. */
  private[jdbc] def messageOf(why: Throwable): String = {
    val telling = why match {
      case batch: SQLException if batch.getNextException != null => batch.getNextException
      case other                                                 => other
    }
    Option(telling.getMessage).map(_.trim).filter(_.nonEmpty).getOrElse(telling.toString)
  }

  private def owned(
      condition: String,
      sink: String,
      target: Target,
      more: (String, Any)*
  ): StoplogException =
    failure(
      condition,
      Seq("sink" -> sink, "table" -> target.table, "database" -> target.database) ++ more: _*
    )

  /** With the database's message. */
  private def refused(condition: String, why: Throwable, more: (String, Any)*): StoplogException =
    failure(condition, why, more :+ "why" -> said(why): _*)

  /** In one line. */
  private def said(why: Throwable): String = reason(messageOf(why).linesIterator.mkString(" "))
}
