// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import stoplog.error.{ErrorMaker, StoplogArgumentException, StoplogException}

/** Every error of this connector, by name: the only place that makes them. They are returned, not thrown. */
private[cassandra] object CassandraErrors extends ErrorMaker {

  // Options and schemas.

  /** An argument's error, as most often an option is wrong: PySpark shows it without a stack of Java. */
  def connect(contactPoints: String, why: String, cause: Throwable): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_CONNECT", cause, "contactPoints" -> contactPoints, "why" -> reason(why))

  def table(table: String, why: String): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_TABLE", "table" -> table, "why" -> reason(why))

  /** @param problems all there are, each a sentence */
  def schema(table: String, problems: Seq[String]): StoplogArgumentException =
    argument("STOPLOG_CASSANDRA_SCHEMA", ("table" -> table) +: listed(problems): _*)

  // While a query runs.

  /** @param key    `<column>=<value>` of each column of the primary key
    * @param column that cannot be written
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

  /** @param others how many rows shared the request */
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

  /** @param newest the epoch that was written last
    * @param asked  the epoch that the query starts, in words
    * @param cql    the statement after which the query may write that
    */
  def epochBehind(
      table: String,
      query: String,
      newest: Long,
      asked: String,
      cql: String
  ): StoplogException =
    failure(
      "STOPLOG_CASSANDRA_EPOCH_BEHIND",
      "table"  -> table,
      "query"  -> query,
      "newest" -> newest,
      "asked"  -> asked,
      "cql"    -> cql
    )

  /** @param newest the epoch that was written last
    * @param cql    as of [[epochBehind]]
    */
  def epochGap(
      table: String,
      query: String,
      newest: Long,
      epoch: Long,
      cql: String
  ): StoplogException =
    failure(
      "STOPLOG_CASSANDRA_EPOCH_GAP",
      "table"  -> table,
      "query"  -> query,
      "newest" -> newest,
      "epoch"  -> epoch,
      "cql"    -> cql
    )

  /** @param cql the statement that makes the table */
  def epochTable(table: String, cql: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_CASSANDRA_EPOCH_TABLE", cause, "table" -> table, "cql" -> cql, "why" -> reason(why))

  /** @param cql the statement that makes the table */
  def chunksTable(table: String, cql: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_CASSANDRA_CHUNKS_TABLE", cause, "table" -> table, "cql" -> cql, "why" -> reason(why))
}
