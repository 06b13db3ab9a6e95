// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import stoplog.error.{
  ErrorMaker, Errors, RequestErrors, RowErrors, StartErrors, StoplogArgumentException, StoplogException
}

/** All errors of this connector, by name; no other code creates them. The methods return errors and do not
  * throw.
  */
private[cassandra] object CassandraErrors extends ErrorMaker {

  // Options and schemas.

  def connect(contactPoints: String, why: String, cause: Throwable): StoplogArgumentException =
    RequestErrors.unreachable(
      s"The cluster at $contactPoints",
      why,
      "contactPoints, username and password, that the cluster runs, and, if its nodes are in several data " +
        "centers, datastax-java-driver.basic.load-balancing-policy.local-datacenter",
      cause
    )

  def table(table: String, why: String): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_TABLE", "table" -> table, "why" -> reason(why))

  /** @param problems all problems, each a sentence */
  def schema(table: String, problems: Seq[String]): StoplogArgumentException =
    Errors.rowColumns(s"the table $table", problems, ", or correct columnMapping or the table")

  // Errors of a running query.

  /** @param key    `<column>=<value>` of each column of the primary key
    * @param column the column that cannot be written
    */
  def badRow(table: String, key: String, column: String, why: String, cause: Throwable): StoplogException =
    RowErrors.badRow(
      s"the table $table",
      s"the column $column of the row with the key ($key) cannot be written: $why",
      "",
      "",
      cause
    )

  /** @param others the number of other rows in the request */
  def write(table: String, key: String, others: Int, why: String, cause: Throwable): StoplogException =
    RequestErrors.failed(
      s"The row with the key ($key), and ${if (others == 1) "1 other" else s"$others others"} in the same " +
        s"request, could not be written to $table",
      why,
      "A repetition of the epoch writes its rows again, with the same effect",
      cause,
      "set retryTimeout to a longer time"
    )

  def read(table: String, split: String, why: String, cause: Throwable): StoplogException =
    RequestErrors.failed(
      s"$split of $table could not be read",
      why,
      "No row was skipped",
      cause,
      "set datastax-java-driver.basic.request.timeout or retryTimeout to a longer time"
    )

  /** @param newest       the newest written epoch
    * @param startedEpoch the epoch that the query starts, as text
    * @param cql          the statement that allows the query to write this epoch
    */
  def epochBehind(
      table: String,
      query: String,
      newest: Long,
      startedEpoch: String,
      cql: String
  ): StoplogException =
    StartErrors.ahead(
      subject(table, query),
      s"epoch $newest",
      s"with $startedEpoch",
      "Otherwise another process runs the query. Nothing of the epoch was written, because Cassandra would mix " +
        "its cells with existing cells",
      ways("STOPLOG_EPOCH_AHEAD", Kind, "cql" -> cql, "table" -> table)
    )

  /** @param newest the newest written epoch
    * @param cql    see [[epochBehind]]
    */
  def epochGap(
      table: String,
      query: String,
      newest: Long,
      epoch: Long,
      cql: String
  ): StoplogException =
    StartErrors.gap(
      subject(table, query),
      newest.toString,
      epoch,
      "The keyspace was restored from an older copy, or the query wrote in the meantime with another " +
        "writeTimestamp or to another place",
      "the epochs between",
      "the newer keyspace",
      ways("STOPLOG_EPOCH_GAP", Kind, "cql" -> cql, "epoch" -> epoch, "table" -> table)
    )

  private def subject(table: String, query: String) = s"The query $query in the table $table"

  // The name in the file of the ways out.
  private val Kind = "stoplog-cassandra"

  /** @param cql the statement that creates the table */
  def epochTable(table: String, cql: String, why: String, cause: Throwable): StoplogException =
    RequestErrors.ownTable(
      s"$table for the times of epochs",
      why,
      s"with $cql",
      "set writeTimestamp to column or server, or progressTable (not of a write-ahead sink) to another table",
      cause
    )

  /** @param cql the statement that creates the table */
  def chunksTable(table: String, cql: String, why: String, cause: Throwable): StoplogException =
    RequestErrors.ownTable(
      s"$table for the notes of a write-ahead sink about sent chunks",
      why,
      s"with $cql",
      "set cassandra.progressTable to another table, or committer to files",
      cause
    )
}
