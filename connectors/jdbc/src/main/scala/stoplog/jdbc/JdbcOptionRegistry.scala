// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.jdbc.JdbcOptionGroup._
import stoplog.options.{OptionForms, OptionGroup, SinkOption}

/** Every option of the sink, once: the parser, `docs/jdbc-options.md` and the Python package are held to this list. */
object JdbcOptionRegistry extends OptionForms {

  val Url: SinkOption =
    required(Database, "url", "JDBC URL", "Where the database is.", "jdbc:postgresql://db/shop")

  val DbTable: SinkOption = required(
    Database,
    "dbtable",
    "table name as in SQL",
    "The table, which must exist. Columns are found by their names, in upper or lower case.",
    "public.orders"
  )

  val Driver: SinkOption = option(
    Database,
    "driver",
    "class name",
    "found by the URL",
    "The class of the database's driver, whose jar must be on Spark's driver and the executors. Known for PostgreSQL, " +
      "MySQL, MariaDB, SQLite and H2.",
    "org.postgresql.Driver"
  )

  val User: SinkOption =
    option(Database, "user", "text", "none", "The user of the connections.", "shop")

  val Password: SinkOption =
    option(Database, "password", "text", "none", "Its password. Spark keeps it out of its logs.", "secret")

  val DialectName: SinkOption = option(
    Database,
    "dialect",
    "`derby`, `postgresql`, `mysql`, `sqlite` or `merge`",
    "by the URL; else `merge`",
    "Which SQL the database understands. `mysql` is MariaDB's too. `merge`: MERGE of the SQL standard.",
    "postgresql"
  )

  val WriteModeName: SinkOption = option(
    Writing,
    "writeMode",
    "`upsert` or `transactional`",
    "`upsert` with `keyColumns`, else `transactional`",
    "`upsert`: a row is inserted, or takes the place of the one with its key; repeated epochs change nothing. " +
      "`transactional`: rows are inserted, each epoch in one transaction that also records it, exactly once.",
    "transactional"
  )

  val KeyColumns: SinkOption = option(
    Writing,
    "keyColumns",
    "column names, separated by commas",
    "required with `upsert`",
    "The columns that tell a row from others: the primary key of the table, or a unique index.",
    "customer,day"
  )

  val BatchSize: SinkOption = withDefault(
    Writing,
    "batchsize",
    "whole number",
    "5000",
    "How many rows are sent together, and committed together by a task; Spark's `jdbc` sends 1000. Of rows with one key " +
      "only the last one of a batch is sent.",
    "20000"
  )

  val NumPartitions: SinkOption = option(
    Writing,
    "numPartitions",
    "whole number",
    "as many as the rows have partitions",
    "How many tasks write, at most, and with them how many connections there are. The rows are shuffled: by key with " +
      "`upsert`.",
    "8"
  )

  val DistributionName: SinkOption = withDefault(
    Writing,
    "distribution",
    "`none` or `byKey`",
    "none",
    "`byKey` brings all rows of a key to one task, by a shuffle.",
    "byKey"
  )

  val QueryTimeout: SinkOption = option(
    Writing,
    "queryTimeout",
    "whole number of seconds",
    "no limit",
    "How long a statement may take, if the driver heeds it.",
    "60"
  )

  val MaxTries: SinkOption = withDefault(
    Failures,
    "maxTries",
    "whole number",
    "5",
    "How often a batch or a commit is tried when the connection is lost, another transaction was first, or the server " +
      "is full.",
    "10"
  )

  val RetryWait: SinkOption = withDefault(
    Failures,
    "retryWait",
    "time",
    "500ms",
    "The longest wait before the second try; twice as long before each further one, up to 30 s. The wait is random " +
      "below that.",
    "2s"
  )

  val OnBadRow: SinkOption = withDefault(
    Failures,
    "onBadRow",
    "`fail` or `reject`",
    "fail",
    "What becomes of a row that the table refuses. `fail`: the query ends. `reject`: it goes to `rejectTable`, and the " +
      "query goes on.",
    "reject"
  )

  val RejectTableName: SinkOption = option(
    Failures,
    "rejectTable",
    "table name as in SQL",
    "the name of the table with `_rejected` behind it",
    "The table of rejected rows, made if it is not there. Only with `onBadRow` = `reject`.",
    "public.orders_rejected"
  )

  val SinkId: SinkOption = withDefault(
    Owner,
    "sinkId",
    "1 to 64 letters, digits, `.`, `_` or `-`",
    "main",
    "The name of this sink among those that write to the table; two queries need two. It tells rejected rows apart, too.",
    "clicks"
  )

  val OnForeign: SinkOption = withDefault(
    Owner,
    "onForeignQuery",
    "`fail` or `adopt`",
    "fail",
    "What to do when the sink belongs to another query, that is, to another checkpoint, or when nothing is known of it though " +
      "this query has been at work. `adopt` takes it over as it is. Only with `transactional`.",
    "adopt"
  )

  val EpochsTableName: SinkOption = option(
    Owner,
    "epochsTable",
    "table name as in SQL",
    "`stoplog_epochs` in the schema of the table",
    "The table that says which epoch of each sink is committed, made if it is not there. Only with `transactional`.",
    "etl.stoplog_epochs"
  )

  /** All of them, in the order of the options' page. */
  val all: Seq[SinkOption] = Seq(
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

/** The headings of `docs/jdbc-options.md`. */
object JdbcOptionGroup {
  case object Database extends OptionGroup("Which table")
  case object Writing  extends OptionGroup("How rows are written")
  case object Failures extends OptionGroup("Failures and bad rows")
  case object Owner    extends OptionGroup("Exactly once")

  /** Of options that a sink of its own does not have. */
  case object WriteAhead extends OptionGroup("In a write-ahead sink")

  val all: Seq[OptionGroup] = Seq(Database, Writing, Failures, Owner)
}
