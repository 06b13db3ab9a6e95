// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.{Map => JMap}

import stoplog.jdbc.{JdbcOptionGroup, JdbcOptionRegistry => Registry, JdbcOptions, TableName}
import stoplog.options.{Opt, OptionType}
import stoplog.wal.ConnectorOptions

/** What the sender and the committer of a write-ahead sink were asked to do: the options that begin with `jdbc.`.
  *
  * @param jdbc        as those of a sink of its own
  * @param chunksTable where notes are kept
  * @param notesHere   whether the committer keeps its notes in this database
  */
private[jdbc] final case class JdbcChunkOptions(jdbc: JdbcOptions, chunksTable: String, notesHere: Boolean)

private[jdbc] object JdbcChunkOptions {

  val ChunksTableName: Opt[String] = JdbcOptionGroup.WriteAhead.option(
    "chunksTable",
    OptionType.text.as("table name as in SQL"),
    "etl.stoplog_chunks"
  )(
    "`stoplog_chunks` in the schema of the table",
    "The table that says which chunks of a write-ahead sink have been sent, made if it is not there. Only as " +
      "`jdbc.chunksTable` of `format(\"stoplog-wal\")`."
  )

  /** Of the sender. */
  def ofSender(options: JMap[String, String]): JdbcChunkOptions = parse(options, table = None)

  /** Of the committer, which needs no table for rows. */
  def ofCommitter(options: JMap[String, String]): JdbcChunkOptions =
    parse(options, table = Some(DefaultTable))

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param table if none is set
    */
  private def parse(options: JMap[String, String], table: Option[String]): JdbcChunkOptions = {
    val own    = ConnectorOptions.of(options, Word, withoutEffect)
    val asked  = own.without(ChunksTableName).withDefault(Registry.DbTable, table)
    val sinkId = Option(options.get(Registry.SinkId.key))
    val jdbc   = JdbcOptions.parse(asked.withDefault(Registry.SinkId, sinkId).asJava)
    JdbcChunkOptions(
      jdbc,
      own.text(ChunksTableName).getOrElse(TableName.beside(jdbc.at.table, DefaultTable)),
      notesHere = Committers(String.valueOf(options.get("committer")).trim.toLowerCase)
    )
  }

  // The log knows whose the rows are, and the chunks how they are spread.
  private val withoutEffect: Seq[Opt[_]] = Seq(
    Registry.WriteModeName,
    Registry.NumPartitions,
    Registry.DistributionName,
    Registry.SinkId,
    Registry.OnForeign,
    Registry.EpochsTableName
  )

  private final val Word         = "jdbc"
  private final val DefaultTable = "stoplog_chunks"
  private val Committers         = Set(Word, classOf[JdbcCommitters].getName.toLowerCase)
}
