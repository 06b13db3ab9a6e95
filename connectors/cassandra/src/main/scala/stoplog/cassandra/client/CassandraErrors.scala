// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import stoplog.error.{ErrorMaker, StartErrors, StoplogArgumentException, StoplogException}

/** All errors of this connector, by name; no other code creates them. The methods return errors and do not
  * throw.
  */
private[cassandra] object CassandraErrors extends ErrorMaker {

  // Options and schemas.

  /** An argument error, because an option is usually wrong: PySpark shows argument errors without a Java
    * stack trace.
    */
  def connect(contactPoints: String, why: String, cause: Throwable): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_CONNECT", cause, "contactPoints" -> contactPoints, "why" -> reason(why))

  def table(table: String, why: String): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_TABLE", "table" -> table, "why" -> reason(why))

  /** @param problems all problems, each a sentence */
  def schema(table: String, problems: Seq[String]): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_SCHEMA", ("table" -> table) +: listed(problems): _*)

  // Errors of a running query.

  /** @param key    `<column>=<value>` of each column of the primary key
    * @param column the column that cannot be written
    */
  def badRow(table: String, key: String, column: String, why: String, cause: Throwable): StoplogException =
    failure(
      "STOPLOG_CASSANDRA_BAD_ROW",
      cause,
      "table"  -> table,
      "key"    -> key,
      "column" -> column,
      "why"    -> reason(why)
    )

  /** @param others the number of other rows in the request */
  def write(table: String, key: String, others: Int, why: String, cause: Throwable): StoplogException =
    failure(
      "STOPLOG_CASSANDRA_WRITE",
      cause,
      "table"  -> table,
      "key"    -> key,
      "others" -> (if (others == 1) "1 other" else s"$others others"),
      "why"    -> reason(why)
    )

  def read(table: String, split: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_CASSANDRA_READ", cause, "table" -> table, "split" -> split, "why" -> reason(why))

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
    failure("STOPLOG_CASSANDRA_EPOCH_TABLE", cause, "table" -> table, "cql" -> cql, "why" -> reason(why))

  /** @param cql the statement that creates the table */
  def chunksTable(table: String, cql: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_CASSANDRA_CHUNKS_TABLE", cause, "table" -> table, "cql" -> cql, "why" -> reason(why))
}
