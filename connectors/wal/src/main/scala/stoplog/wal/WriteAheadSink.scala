// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.ConfiguredSink

/** Anything that can be sent rows out of a log: the sink, fully set.
  *
  * {{{
  * val sink = WriteAheadSink.toHttp("https://example.com/rows").withHeader("Authorization", token).build()
  *
  * sink.writeStream(alerts).option("checkpointLocation", "/data/checkpoints/alerts").start()
  * }}}
  *
  * A batch writer needs [[WriteAheadSinkBuilder.withLogLocation]].
  *
  * Immutable. The same options can be set one by one on `format("stoplog-wal")`; they are listed in
  * `docs/reference/wal-options.md`.
  */
final class WriteAheadSink private (asked: Map[String, String])
    extends ConfiguredSink(WriteAheadSink.Format, asked)

object WriteAheadSink {

  /** The name for `format(…)` in a write without a builder. */
  val Format: String = "stoplog-wal"

  /** Posts rows as JSON lines, see [[HttpSender]]. */
  def toHttp(url: String): WriteAheadSinkBuilder =
    new WriteAheadSinkBuilder(Map("sender" -> "http", "url" -> url))

  /** Writes rows to a table of a database, exactly once: each chunk in one transaction with its note in the table
    * `stoplog_chunks`. With [[WriteAheadSinkBuilder.withCommitter]] of another kind the note is made apart, afterwards.
    *
    * @param url   of the database, such as `jdbc:postgresql://db/shop`
    * @param table as SQL names it; it must exist
    */
  def toJdbc(url: String, table: String): WriteAheadSinkBuilder = new WriteAheadSinkBuilder(
    Map("sender" -> "jdbc", "committer" -> "jdbc", "jdbc.url" -> url, "jdbc.dbtable" -> table)
  )

  /** Writes rows to a table of Cassandra's by their keys, effectively once: with the time of their epoch.
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

  /** @param sender the name of a class that extends [[RowSender]] */
  def to(sender: String): WriteAheadSinkBuilder = new WriteAheadSinkBuilder(Map("sender" -> sender))

  /** The sink that these options describe.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong with them at once
    */
  def fromOptions(options: JMap[String, String]): WriteAheadSink = {
    val asked = options.asScala.toMap
    WriteAheadOptions.parse(asked)
    new WriteAheadSink(asked)
  }

  /** The keys of all options there are. */
  def optionKeys(): JList[String] = WriteAheadOptions.all.map(_.key).asJava
}

/** Sets a [[WriteAheadSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class WriteAheadSinkBuilder private[wal] (options: Map[String, String]) {

  /** A header of each request. */
  def withHeader(name: String, value: String): WriteAheadSinkBuilder = withOption(s"httpHeader.$name", value)

  /** The most rows of a request; 500 by default. */
  def withBatchRows(rows: Int): WriteAheadSinkBuilder = withOption("httpBatchRows", rows.toString)

  /** The memory of the chunks that have been sent.
    *
    * @param committers `files`, `jdbc`, `cassandra`, or the name of a class that extends [[CheckpointCommitters]]. By default
    *                   files in the log; for `toJdbc` and `toCassandra` a table there
    */
  def withCommitter(committers: String): WriteAheadSinkBuilder = withOption("committer", committers)

  /** An option of the sender and the committer `jdbc`, by the names of `docs/reference/jdbc-options.md`: `user`, `keyColumns`, or a
    * property of the database's driver.
    */
  def withJdbcOption(key: String, value: String): WriteAheadSinkBuilder = withOption(s"jdbc.$key", value)

  /** An option of the sender and the committer `cassandra`, by the names of `docs/reference/cassandra-options.md`. */
  def withCassandraOption(key: String, value: String): WriteAheadSinkBuilder =
    withOption(s"cassandra.$key", value)

  /** The name of this sink; sinks that keep their logs at one place need one each. `main` by default. */
  def withSinkId(sinkId: String): WriteAheadSinkBuilder = withOption("sinkId", sinkId)

  /** The directory of the log; by default the query's checkpoint. */
  def withLogLocation(directory: String): WriteAheadSinkBuilder = withOption("logLocation", directory)

  /** Any option by its name: of the sink, or for the sender or the committer. */
  def withOption(key: String, value: String): WriteAheadSinkBuilder =
    new WriteAheadSinkBuilder(options + (key -> value))

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): WriteAheadSink = WriteAheadSink.fromOptions(options.asJava)
}
