// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.SQLException

import stoplog.error.{
  ErrorMaker, Errors, OwnerErrors, RequestErrors, RowErrors, StartErrors, StoplogArgumentException,
  StoplogException
}

/** All errors of this connector, by name, like `stoplog.error.Errors` for the core. */
private[stoplog] object JdbcErrors extends ErrorMaker {

  // Options and schemas.

  /** @param problems all problems, each a sentence */
  def table(table: String, database: String, problems: Seq[String]): StoplogArgumentException =
    Errors.rowColumns(s"the table $table of $database", problems, ", or correct the table")

  /** @param mode `complete` or `overwrite` */
  def outputMode(mode: String): StoplogArgumentException = Errors.unsupported(
    s"The mode $mode with upserts",
    "the mode replaces all rows, and upserts cannot replace all rows in one step",
    "a sink without keyColumns, which replaces all rows in one transaction, or another mode"
  )

  def unreachable(database: String, why: Throwable): StoplogArgumentException = RequestErrors.unreachable(
    s"The database $database",
    oneLine(why),
    "url, user, password and network, and that the JDBC driver's jar is on the driver and the executors " +
      "(--jars or --packages)",
    why
  )

  /** @param table a table that the sink owns */
  def ownTable(table: String, database: String, why: Throwable): StoplogException =
    RequestErrors.ownTable(
      s"$table in $database",
      oneLine(why),
      "as specified in docs/beyond-files/jdbc.md",
      "grant the user of the connection the right to create and drop tables next to the target",
      why
    )

  // Rows.

  /** @param row the text of the row; empty if the row is unknown */
  def badRow(table: String, row: String, why: Throwable): StoplogException = RowErrors.badRow(
    s"the table $table",
    s"the table rejects the row${if (row.isEmpty) "" else s" $row"}: ${oneLine(why)}",
    "",
    Reject,
    why
  )

  def nullKey(table: String, column: String): StoplogException =
    RowErrors.nullValue(column, s"the table $table cannot identify a row without this key column", Reject)

  def nullVersion(table: String, column: String): StoplogException =
    RowErrors.nullValue(column, s"the table $table cannot compare a row without a version", Reject)

  /** @param why a clause about the value */
  def inexact(table: String, column: String, typeName: String, why: String): StoplogException =
    RowErrors.badRow(
      s"the table $table",
      s"its column $column of type $typeName cannot store the value exactly: the value $why",
      "",
      s"cast or round the values before the write, or change the type of the column, or $Reject",
      cause = null
    )

  private val Reject = "set onBadRow to reject to write such rows to rejectTable and continue"

  // Errors of a running query.

  def writeFailed(table: String, database: String, why: Throwable): StoplogException =
    RequestErrors.failed(
      s"Writing to the table $table of $database failed",
      oneLine(why),
      "Earlier committed rows are not lost",
      why
    )

  /** @param epochs the table of epochs */
  private[jdbc] def unknownOutcome(
      at: SinkAddress,
      epochs: String,
      epoch: Long,
      why: Throwable
  ): StoplogException =
    RequestErrors.unknownOutcome(
      s"epoch $epoch of the sink ${at.sink} is in ${at.database}",
      oneLine(why),
      s"The epoch is there if the row of $epochs with sink_name ${at.sink} has last_epoch $epoch. Check the row " +
        "yourself before you repeat a batch query",
      "the database",
      "this row",
      why
    )

  private[jdbc] def stagingLost(
      staging: String,
      at: SinkAddress,
      wanted: Long,
      found: Long
  ): StoplogException = RequestErrors.failed(
    s"The tasks have staged $wanted rows in $staging of ${at.database}, and $found rows are there",
    "another program has deleted rows",
    s"Nothing of the epoch was written to ${at.table}",
    cause = null
  )

  // Errors about the owner of a table.

  private[jdbc] def fenced(at: SinkAddress, other: String): StoplogException =
    OwnerErrors.fenced(
      s"the sink ${at.sink} of the table ${at.table} in ${at.database}",
      s"its row belongs to run $other"
    )

  private[jdbc] def foreignQuery(
      at: SinkAddress,
      owner: String,
      query: String,
      again: String
  ): StoplogException = StartErrors.foreignQuery(
    subject(at),
    at.table,
    owner,
    query,
    again,
    ways("STOPLOG_FOREIGN_QUERY", Kind, "table" -> at.table, "owner" -> owner)
  )

  /** The database is older than the checkpoint. `last` is `none` if the database has no epoch. */
  private[jdbc] def epochGap(at: SinkAddress, last: String, batch: Long): StoplogException = StartErrors.gap(
    subject(at),
    last,
    batch,
    s"The database was restored from an older copy or replaced, and rows are missing from ${at.table}",
    "the epochs between",
    "the newer database",
    ways("STOPLOG_EPOCH_GAP", Kind)
  )

  /** The database is ahead of the checkpoint, or contains another batch than the checkpoint.
    *
    * @param starts a description of the start by Spark
    * @param batch  the first batch whose rows will be repeated if the sink is reset
    */
  private[jdbc] def epochAhead(
      at: SinkAddress,
      last: Long,
      starts: String,
      batch: Long
  ): StoplogException = {
    val again = if (batch == last) s"epoch $last" else s"epochs $batch to $last"
    StartErrors.ahead(
      subject(at),
      s"epoch $last",
      starts,
      "Otherwise the checkpoint was restored while a driver was alive. Spark would write the rows of " +
        s"$again to ${at.table} twice, or omit some rows",
      ways("STOPLOG_EPOCH_AHEAD", Kind, "again" -> again, "table" -> at.table)
    )
  }

  /** Returns the database's message. The exception of a batch only refers to the next exception, which has
    * the message.
    */
  private[jdbc] def messageOf(why: Throwable): String = {
    val telling = why match {
      case batch: SQLException if batch.getNextException != null => batch.getNextException
      case other                                                 => other
    }
    Option(telling.getMessage).map(_.trim).filter(_.nonEmpty).getOrElse(telling.toString)
  }

  private def subject(at: SinkAddress): String = s"The sink ${at.sink} in ${at.database}"

  /** Returns the message in one line. */
  private def oneLine(why: Throwable): String = reason(messageOf(why).linesIterator.mkString(" "))

  // The name in the file of the ways out.
  private val Kind = "stoplog-jdbc"
}

/** The place of a sink, for messages.
  *
  * @param sink     the name of the sink's row in the epochs table
  * @param table    the target table
  * @param database the URL without possible secrets
  */
private[stoplog] final case class SinkAddress(sink: String, table: String, database: String)
