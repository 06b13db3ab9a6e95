// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.ConfiguredSink

/** The configured write-ahead sink, which sends rows from a log to any target.
  *
  * {{{
  * val sink = WriteAheadSink.toHttp("https://example.com/rows").withHeader("Authorization", token).build()
  *
  * sink.writeStream(alerts).option("checkpointLocation", "/data/checkpoints/alerts").start()
  * }}}
  *
  * A batch writer requires [[WriteAheadSinkBuilder.withLogLocation]].
  *
  * Immutable. The same options can be set individually on `format("stoplog-wal")`. The file
  * `docs/reference/wal-options.md` lists all options.
  */
final class WriteAheadSink private (settings: Map[String, String])
    extends ConfiguredSink(WriteAheadSink.Format, settings)

object WriteAheadSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog-wal"

  /** Posts rows as JSON lines, see [[HttpSender]]. */
  def toHttp(url: String): WriteAheadSinkBuilder =
    new WriteAheadSinkBuilder(Map("sender" -> "http", "url" -> url))

  /** Writes rows to a database table, exactly once: each chunk in the same transaction as its note in the
    * table `stoplog_chunks`. With another kind of [[WriteAheadSinkBuilder.withCommitter]], the note is
    * written separately, after the chunk.
    *
    * @param url   the URL of the database, such as `jdbc:postgresql://db/shop`
    * @param table the name of the table in SQL; the table must exist
    */
  def toJdbc(url: String, table: String): WriteAheadSinkBuilder = new WriteAheadSinkBuilder(
    Map("sender" -> "jdbc", "committer" -> "jdbc", "jdbc.url" -> url, "jdbc.dbtable" -> table)
  )

  /** Writes rows to a Cassandra table by key, effectively once: each row has the time of its epoch.
    *
    * @param contactPoints some nodes, as `host` or `host:port`, separated by commas
    */
  def toCassandra(contactPoints: String, keyspace: String, table: String): WriteAheadSinkBuilder =
    new WriteAheadSinkBuilder(
      Map(
        "sender"                  -> "cassandra",
        "committer"               -> "cassandra",
        "cassandra.contactPoints" -> contactPoints,
        "cassandra.keyspace"      -> keyspace,
        "cassandra.table"         -> table
      )
    )

  /** Writes rows with a user-defined sender.
    *
    * @param sender the name of a class that extends [[RowSender]]
    */
  def to(sender: String): WriteAheadSinkBuilder = new WriteAheadSinkBuilder(Map("sender" -> sender))

  /** Creates the sink from options.
    *
    * @throws stoplog.error.StoplogArgumentException with all problems of the options at once
    */
  def fromOptions(options: JMap[String, String]): WriteAheadSink = {
    val settings = options.asScala.toMap
    WriteAheadOptions.parse(settings)
    new WriteAheadSink(settings)
  }

  /** Returns the keys of all options. */
  def optionKeys(): JList[String] = WriteAheadOptions.all.map(_.key).asJava
}

/** Builds a [[WriteAheadSink]]. Immutable: each call returns a new builder. Only [[build]] validates options.
  */
final class WriteAheadSinkBuilder private[wal] (options: Map[String, String]) {

  /** Adds a header to each request. */
  def withHeader(name: String, value: String): WriteAheadSinkBuilder = withOption(s"httpHeader.$name", value)

  /** Sets the maximum number of rows in a request; 500 by default. */
  def withBatchRows(rows: Int): WriteAheadSinkBuilder = withOption("httpBatchRows", rows.toString)

  /** Sets the committer, which remembers the sent chunks.
    *
    * @param committers `files`, `jdbc`, `cassandra`, or the name of a class that extends
    *                   [[CheckpointCommitters]]. The default is files in the log; for `toJdbc` and
    *                   `toCassandra`, a table in the target
    */
  def withCommitter(committers: String): WriteAheadSinkBuilder = withOption("committer", committers)

  /** Sets an option of the sender and committer `jdbc`, by its name in `docs/reference/jdbc-options.md`:
    * `user`, `keyColumns`, or a property of the database's driver.
    */
  def withJdbcOption(key: String, value: String): WriteAheadSinkBuilder = withOption(s"jdbc.$key", value)

  /** Sets an option of the sender and committer `cassandra`, by its name in
    * `docs/reference/cassandra-options.md`.
    */
  def withCassandraOption(key: String, value: String): WriteAheadSinkBuilder =
    withOption(s"cassandra.$key", value)

  /** Sets the name of this sink; `main` by default. Sinks with logs in the same place need different names.
    */
  def withSinkId(sinkId: String): WriteAheadSinkBuilder = withOption("sinkId", sinkId)

  /** Sets the directory of the log; by default the query's checkpoint. */
  def withLogLocation(directory: String): WriteAheadSinkBuilder = withOption("logLocation", directory)

  /** Sets any option by its name: an option of the sink, the sender or the committer. */
  def withOption(key: String, value: String): WriteAheadSinkBuilder =
    new WriteAheadSinkBuilder(options + (key -> value))

  /** Builds the sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all problems at once
    */
  def build(): WriteAheadSink = WriteAheadSink.fromOptions(options.asJava)
}
