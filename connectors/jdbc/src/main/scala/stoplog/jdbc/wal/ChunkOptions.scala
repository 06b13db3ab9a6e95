// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.jdbc.{JdbcOptionGroup, JdbcOptionRegistry => Registry, JdbcOptions, TableName}
import stoplog.options.{OptionForms, SinkOption, SparkOptions}

/** What the sender and the committer of a write-ahead sink were asked to do: the options that begin with `jdbc.`.
  *
  * @param jdbc        as those of a sink of its own
  * @param chunksTable where notes are kept
  * @param notesHere   whether the committer keeps its notes in this database
  */
private[jdbc] final case class ChunkOptions(jdbc: JdbcOptions, chunksTable: String, notesHere: Boolean)

private[jdbc] object ChunkOptions extends OptionForms {

  val ChunksTableName: SinkOption = option(
    JdbcOptionGroup.WriteAhead,
    "chunksTable",
    "table name as in SQL",
    "`stoplog_chunks` in the schema of the table",
    "The table that says which chunks of a write-ahead sink have been sent, made if it is not there. Only as " +
      "`jdbc.chunksTable` of `format(\"stoplog-wal\")`.",
    "etl.stoplog_chunks"
  )

  /** Of the sender. */
  def ofSender(options: JMap[String, String]): ChunkOptions = parse(options, table = None)

  /** Of the committer, which needs no table for rows. */
  def ofCommitter(options: JMap[String, String]): ChunkOptions = parse(options, table = Some(DefaultTable))

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param table if none is set
    */
  private def parse(options: JMap[String, String], table: Option[String]): ChunkOptions = {
    val own = SparkOptions.spelled(options).collect {
      case (key, value) if key.toLowerCase.startsWith(Prefix) => key.drop(Prefix.length) -> value
    }
    val idle = withoutEffect.filter(option => own.exists(_._1.equalsIgnoreCase(option.key)))
    if (idle.nonEmpty)
      throw Errors.invalidOptions(
        idle.map(option => s"$Prefix${option.key} has no effect in a write-ahead sink: remove it.")
      )
    val (chunks, rest) = own.partition(_._1.equalsIgnoreCase(ChunksTableName.key))
    val named          = table.filterNot(_ => rest.exists(_._1.equalsIgnoreCase(Registry.DbTable.key)))
    val sinkId         = Option(options.get(Registry.SinkId.key))
    val implied        = named.map(Registry.DbTable.key -> _) ++ sinkId.map(Registry.SinkId.key -> _)
    val jdbc           = JdbcOptions.parse((rest ++ implied).toMap.asJava)
    ChunkOptions(
      jdbc,
      chunks.headOption.fold(TableName.beside(jdbc.table, DefaultTable))(_._2),
      notesHere = Committers(String.valueOf(options.get("committer")).trim.toLowerCase)
    )
  }

  // The log knows whose the rows are, and the chunks how they are spread.
  private val withoutEffect = Seq(
    Registry.WriteModeName,
    Registry.NumPartitions,
    Registry.DistributionName,
    Registry.SinkId,
    Registry.OnForeign,
    Registry.EpochsTableName
  )

  private final val Prefix       = "jdbc."
  private final val DefaultTable = "stoplog_chunks"
  private val Committers         = Set("jdbc", classOf[JdbcCommitters].getName.toLowerCase)
}
