// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.commit.{ForeignQuery => Foreign, OnBadRow => BadRow}
import stoplog.jdbc.JdbcOptionGroup._
import stoplog.options.{Opt, OptionType, RecoveryOptions}

/** Every option of the sink, once: the parser, `docs/jdbc-options.md` and the Python package are held to this list. */
object JdbcOptionRegistry {

  private val table: OptionType[String] = OptionType.text.as("table name as in SQL")

  private val count: OptionType[Int] = OptionType.countUpTo(s"is more than ${Int.MaxValue}")

  val Url: Opt[String] = Database.required(
    "url",
    OptionType.text.as("JDBC URL"),
    "Where the database is.",
    "jdbc:postgresql://db/shop"
  )

  val DbTable: Opt[String] = Database.required(
    "dbtable",
    table,
    "The table, which must exist. Columns are found by their names, in upper or lower case.",
    "public.orders"
  )

  val Driver: Opt[String] = Database.option(
    "driver",
    OptionType.className,
    "found by the URL",
    "The class of the database's driver, whose jar must be on Spark's driver and the executors. Known for PostgreSQL, " +
      "MySQL, MariaDB, SQLite and H2.",
    "org.postgresql.Driver"
  )

  val User: Opt[String] =
    Database.option("user", OptionType.text, "none", "The user of the connections.", "shop")

  val Password: Opt[String] = Database.option(
    "password",
    OptionType.text,
    "none",
    "Its password. Spark keeps it out of its logs.",
    "secret"
  )

  val DialectName: Opt[Dialect] = Database.option(
    "dialect",
    OptionType.named(Dialect.all)(_.word),
    "by the URL; else `merge`",
    "Which SQL the database understands. `mysql` is MariaDB's too. `merge`: MERGE of the SQL standard.",
    "postgresql"
  )

  val WriteModeName: Opt[Boolean] = Writing.option(
    "writeMode",
    OptionType.words("upsert" -> true, "transactional" -> false),
    "`upsert` with `keyColumns`, else `transactional`",
    "`upsert`: a row is inserted, or takes the place of the one with its key; repeated epochs change nothing. " +
      "`transactional`: rows are inserted, each epoch in one transaction that also records it, exactly once.",
    "transactional"
  )

  val KeyColumns: Opt[Seq[String]] = Writing.option(
    "keyColumns",
    OptionType.columnNames,
    "required with `upsert`",
    "The columns that tell a row from others: the primary key of the table, or a unique index.",
    "customer,day"
  )

  val BatchSize: Opt[Int] = Writing.withDefault(
    "batchsize",
    count,
    5000,
    "How many rows are sent together, and committed together by a task; Spark's `jdbc` sends 1000. Of rows with one key " +
      "only the last one of a batch is sent.",
    "20000"
  )

  val NumPartitions: Opt[Int] = Writing.option(
    "numPartitions",
    count,
    "as many as the rows have partitions",
    "How many tasks write, at most, and with them how many connections there are. The rows are shuffled: by key with " +
      "`upsert`.",
    "8"
  )

  val DistributionName: Opt[Boolean] = Writing.withDefault(
    "distribution",
    OptionType.words("none" -> false, "byKey" -> true),
    false,
    "`byKey` brings all rows of a key to one task, by a shuffle.",
    "byKey"
  )

  val QueryTimeout: Opt[Int] = Writing.option(
    "queryTimeout",
    count.as("whole number of seconds"),
    "no limit",
    "How long a statement may take, if the driver heeds it.",
    "60"
  )

  val MaxTries: Opt[Int] = Failures.withDefault(
    "maxTries",
    count,
    5,
    "How often a batch or a commit is tried when the connection is lost, another transaction was first, or the server " +
      "is full.",
    "10"
  )

  val RetryWait: Opt[Long] = Failures.withDefault(
    "retryWait",
    OptionType.span,
    500L,
    "The longest wait before the second try; twice as long before each further one, up to 30 s. The wait is random " +
      "below that.",
    "2s"
  )

  val OnBadRow: Opt[BadRow] = Failures.withDefault(
    "onBadRow",
    RecoveryOptions.OnBadRow.values,
    BadRow.Fail,
    "What becomes of a row that the table refuses. `fail`: the query ends. `reject`: it goes to `rejectTable`, and the " +
      "query goes on.",
    "reject"
  )

  val RejectTableName: Opt[String] = Failures.option(
    "rejectTable",
    table,
    "the name of the table with `_rejected` behind it",
    "The table of rejected rows, made if it is not there. Only with `onBadRow` = `reject`.",
    "public.orders_rejected"
  )

  val SinkId: Opt[String] = Owner.withDefault(
    "sinkId",
    RecoveryOptions.SinkId.values.as("1 to 64 letters, digits, `.`, `_` or `-`"),
    "main",
    "The name of this sink among those that write to the table; two queries need two. It tells rejected rows apart, too.",
    "clicks"
  )

  val OnForeign: Opt[Foreign] = Owner.withDefault(
    "onForeignQuery",
    RecoveryOptions.OnForeignQuery.values,
    Foreign.Refuse,
    "What to do when the sink belongs to another query, that is, to another checkpoint, or when nothing is known of it though " +
      "this query has been at work. `adopt` takes it over as it is. Only with `transactional`.",
    "adopt"
  )

  val EpochsTableName: Opt[String] = Owner.option(
    "epochsTable",
    table,
    "`stoplog_epochs` in the schema of the table",
    "The table that says which epoch of each sink is committed, made if it is not there. Only with `transactional`.",
    "etl.stoplog_epochs"
  )

  /** All of them, in the order of the options' page. */
  val all: Seq[Opt[_]] = Seq(
    Url,
    DbTable,
    Driver,
    User,
    Password,
    DialectName,
    WriteModeName,
    KeyColumns,
    BatchSize,
    NumPartitions,
    DistributionName,
    QueryTimeout,
    MaxTries,
    RetryWait,
    OnBadRow,
    RejectTableName,
    SinkId,
    OnForeign,
    EpochsTableName
  )
}
