// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.commit.{ForeignQuery => Foreign, OnBadRow => BadRow}
import stoplog.jdbc.JdbcOptionGroup._
import stoplog.options.{Opt, OptionGroup, OptionType, RecoveryOptions}

/** Defines every option of the sink once. Tests compare the parser, `docs/reference/jdbc-options.md` and the
  * Python package with this list.
  */
private[stoplog] object JdbcOptionRegistry {

  private val table: OptionType[String] = OptionType.text.as("table name as in SQL")

  private val count: OptionType[Int] = OptionType.countUpTo(s"is more than ${Int.MaxValue}")

  val Url: Opt[String] =
    Database.required("url", OptionType.text.as("JDBC URL"), "jdbc:postgresql://db/shop")(
      "Where the database is."
    )

  val DbTable: Opt[String] = Database.required("dbtable", table, "public.orders")(
    "The table, which must exist. Columns are found by their names, in upper or lower case."
  )

  val Driver: Opt[String] = Database.option("driver", OptionType.className, "org.postgresql.Driver")(
    "found by the URL",
    "The class of the database's driver, whose jar must be on Spark's driver and the executors. Known for " +
      "PostgreSQL, MySQL, MariaDB, SQLite and H2."
  )

  val User: Opt[String] = Database.option("user", OptionType.text, "shop")(
    "none",
    "The user of the connections."
  )

  val Password: Opt[String] = Database.option("password", OptionType.text, "secret")(
    "none",
    "Its password. Spark keeps it out of its logs."
  )

  val DialectName: Opt[Dialect] =
    Database.option("dialect", OptionType.named(Dialect.all)(_.word), "postgresql")(
      "by the URL; else `merge`",
      "Which SQL the database understands. `mysql` is MariaDB's too. `merge`: MERGE of the SQL standard."
    )

  val WriteModeName: Opt[Boolean] = Writing.option(
    "writeMode",
    OptionType.words("upsert" -> true, "transactional" -> false),
    "transactional"
  )(
    "`upsert` with `keyColumns`, else `transactional`",
    "`upsert`: a row is inserted, or takes the place of the one with its key; repeated epochs change " +
      "nothing. `transactional`: rows are inserted, each epoch in one transaction that also records it, " +
      "exactly once."
  )

  val KeyColumns: Opt[Seq[String]] = Writing.option("keyColumns", OptionType.columnNames, "customer,day")(
    "required with `upsert`",
    "The columns that tell a row from others: the primary key of the table, or a unique index."
  )

  val BatchSize: Opt[Int] = Writing.withDefault("batchsize", count, 5000, "20000")(
    "How many rows are sent together, and committed together by a task; Spark's `jdbc` sends 1000. Of rows " +
      "with one key only the last one of a batch is sent."
  )

  val NumPartitions: Opt[Int] = Writing.option("numPartitions", count, "8")(
    "as many as the rows have partitions",
    "How many tasks write, at most, and with them how many connections there are. The rows are shuffled: " +
      "by key with `upsert`."
  )

  val DistributionName: Opt[Boolean] =
    Writing.withDefault("distribution", OptionType.words("none" -> false, "byKey" -> true), false, "byKey")(
      "`byKey` brings all rows of a key to one task, by a shuffle."
    )

  val QueryTimeout: Opt[Int] = Writing.option("queryTimeout", count.as("whole number of seconds"), "60")(
    "no limit",
    "How long a statement may take, if the driver heeds it."
  )

  val MaxTries: Opt[Int] = Failures.withDefault("maxTries", count, 5, "10")(
    "How often a batch or a commit is tried when the connection is lost, another transaction was first, or " +
      "the server is full."
  )

  val RetryWait: Opt[Long] = Failures.withDefault("retryWait", OptionType.span, 500L, "2s")(
    "The longest wait before the second try; twice as long before each further one, up to 30 s. The wait " +
      "is random below that."
  )

  val OnBadRow: Opt[BadRow] =
    Failures.withDefault("onBadRow", RecoveryOptions.OnBadRow.values, BadRow.Fail, "reject")(
      "What becomes of a row that the table refuses. `fail`: the query ends. `reject`: it goes to " +
        "`rejectTable`, and the query goes on."
    )

  val RejectTableName: Opt[String] = Failures.option("rejectTable", table, "public.orders_rejected")(
    "the name of the table with `_rejected` behind it",
    "The table of rejected rows, made if it is not there. Only with `onBadRow` = `reject`."
  )

  val SinkId: Opt[String] = Owner.withDefault(
    "sinkId",
    RecoveryOptions.SinkId.values.as("1 to 64 letters, digits, `.`, `_` or `-`"),
    "main",
    "clicks"
  )(
    "The name of this sink among those that write to the table; two queries need two. It tells rejected " +
      "rows apart, too."
  )

  val OnForeign: Opt[Foreign] =
    Owner.withDefault("onForeignQuery", RecoveryOptions.OnForeignQuery.values, Foreign.Refuse, "adopt")(
      "What to do when the sink belongs to another query, that is, to another checkpoint, or when nothing " +
        "is known of it though this query has been at work. `adopt` takes it over if this query has passed " +
        "its epochs. `adoptAndRepeat` also writes epochs again that are in the target, and is valid for " +
        "one start. Only with `transactional`."
    )

  val EpochsTableName: Opt[String] = Owner.option("epochsTable", table, "etl.stoplog_epochs")(
    "`stoplog_epochs` in the schema of the table",
    "The table that says which epoch of each sink is committed, made if it is not there. Only with " +
      "`transactional`."
  )

  /** All options, in the order of the options page. */
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

/** The headings of `docs/reference/jdbc-options.md`. */
private[stoplog] object JdbcOptionGroup {
  case object Database extends OptionGroup("Which table")
  case object Writing  extends OptionGroup("How rows are written")
  case object Failures extends OptionGroup("Failures and bad rows")
  case object Owner    extends OptionGroup("Exactly once")

  /** Options that only exist in a write-ahead sink. */
  case object WriteAhead extends OptionGroup("In a write-ahead sink")

  val all: Seq[OptionGroup] = Seq(Database, Writing, Failures, Owner)
}
