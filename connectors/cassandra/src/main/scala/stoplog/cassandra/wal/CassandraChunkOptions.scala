// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.{Map => JMap}

import stoplog.cassandra.options.{CassandraOptionRegistry => Registry, CassandraOptions}
import stoplog.error.Errors
import stoplog.options.{Opt, OptionGroup, OptionType}
import stoplog.wal.ConnectorOptions

/** What the sender and the committer of a write-ahead sink were asked to do: the options that begin with `cassandra.`.
  *
  * @param cassandra as those of a sink of its own
  * @param chunks    the keyspace and the table where notes are kept
  */
private[cassandra] final case class CassandraChunkOptions(
    cassandra: CassandraOptions,
    chunks: (String, String)
)

private[cassandra] object CassandraChunkOptions {

  case object WriteAhead extends OptionGroup("In a write-ahead sink")

  val ChunksTableName: Opt[String] = WriteAhead.withDefault(
    "chunksTable",
    OptionType.text.as("name of a table, or `keyspace.table`"),
    "stoplog_chunks",
    "ops.stoplog_chunks"
  )(
    "The table that says which chunks of a write-ahead sink have been sent, made if it is not there. Without a keyspace, in " +
      "that of the table. Only as `cassandra.chunksTable` of `format(\"stoplog-wal\")`."
  )

  /** Of the sender. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofSender(options: JMap[String, String]): CassandraChunkOptions = parse(options, table = None)

  /** Of the committer, which needs no table for rows. Error: `STOPLOG_INVALID_OPTIONS`. */
  def ofCommitter(options: JMap[String, String]): CassandraChunkOptions =
    parse(options, table = ChunksTableName.default)

  /** @param table if none is set */
  private def parse(options: JMap[String, String], table: Option[String]): CassandraChunkOptions = {
    val own       = ConnectorOptions.of(options, Word, withoutEffect)
    val asked     = own.without(ChunksTableName).withDefault(Registry.TableName, table)
    val cassandra = CassandraOptions.parse(asked.asJava)
    CassandraChunkOptions(cassandra, located(own.text(ChunksTableName), cassandra.table.keyspace))
  }

  private def located(table: Option[String], keyspace: String): (String, String) =
    table.orElse(ChunksTableName.default).getOrElse("").trim.split("\\.", -1) match {
      case Array(name) if name.nonEmpty                    => keyspace -> name
      case Array(in, name) if in.nonEmpty && name.nonEmpty => in       -> name
      case _                                               =>
        throw Errors.invalidOptions(
          Seq(s"$Word.${ChunksTableName.key} = '${table.getOrElse("")}' is not a table, or keyspace.table.")
        )
    }

  // Chunks are spread as they were written, and nothing is read.
  private val withoutEffect: Seq[Opt[_]] =
    Seq(Registry.Distribution, Registry.MaxSplitMemorySize, Registry.PageRows)

  private final val Word = "cassandra"
}
