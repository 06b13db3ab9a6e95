// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.cassandra.options.{CassandraOptionRegistry => Registry, CassandraOptions}
import stoplog.error.Errors
import stoplog.options.{OptionForms, OptionGroup, SinkOption, SparkOptions}

/** What the sender and the committer of a write-ahead sink were asked to do: the options that begin with `cassandra.`.
  *
  * @param cassandra as those of a sink of its own
  * @param chunks    the keyspace and the table where notes are kept
  */
private[cassandra] final case class ChunkOptions(cassandra: CassandraOptions, chunks: (String, String))

private[cassandra] object ChunkOptions extends OptionForms {

  case object WriteAhead extends OptionGroup("In a write-ahead sink")

  val ChunksTableName: SinkOption = withDefault(
    WriteAhead,
    "chunksTable",
    "name of a table, or `keyspace.table`",
    "stoplog_chunks",
    "The table that says which chunks of a write-ahead sink have been sent, made if it is not there. Without a keyspace, in " +
      "that of the table. Only as `cassandra.chunksTable` of `format(\"stoplog-wal\")`.",
    "ops.stoplog_chunks"
  )

  /** Of the sender. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofSender(options: JMap[String, String]): ChunkOptions = parse(options, table = None)

  /** Of the committer, which needs no table for rows. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofCommitter(options: JMap[String, String]): ChunkOptions =
    parse(options, table = ChunksTableName.default)

  /** @param table if none is set */
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
    val named          = table.filterNot(_ => rest.exists(_._1.equalsIgnoreCase(Registry.TableName.key)))
    val cassandra      = CassandraOptions.parse((rest ++ named.map(Registry.TableName.key -> _)).toMap.asJava)
    ChunkOptions(cassandra, located(chunks.headOption.map(_._2), cassandra.keyspace))
  }

  private def located(table: Option[String], keyspace: String): (String, String) =
    table.orElse(ChunksTableName.default).getOrElse("").trim.split("\\.", -1) match {
      case Array(name) if name.nonEmpty                    => keyspace -> name
      case Array(in, name) if in.nonEmpty && name.nonEmpty => in       -> name
      case _                                               =>
        throw Errors.invalidOptions(
          Seq(s"$Prefix${ChunksTableName.key} = '${table.getOrElse("")}' is not a table, or keyspace.table.")
        )
    }

  // Chunks are spread as they were written, and nothing is read.
  private val withoutEffect = Seq(Registry.Distribution, Registry.MaxSplitMemorySize, Registry.PageRows)

  private final val Prefix = "cassandra."
}
