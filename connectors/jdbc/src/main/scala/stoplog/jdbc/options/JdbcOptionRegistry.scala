// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.options

import stoplog.commit.{ForeignQuery => Foreign, SinkIdentity}
import stoplog.jdbc.client.Dialect
import stoplog.jdbc.options.JdbcOptionGroup._
import stoplog.options.{Opt, OptionGroup, OptionType, RecoveryOptions}
import stoplog.writing.{OnBadRow => BadRow}

/** Defines every option of the sink once. Tests compare the parser, `docs/reference/jdbc-options.md` and the
  * Python package with this list.
  */
private[stoplog] object JdbcOptionRegistry {

  private val table: OptionType[String] = OptionType.text.as("table name as in SQL")

  private val count: OptionType[Int] = OptionType.countUpTo(s"is more than ${Int.MaxValue}")

  val Url: Opt[String] =
    Database.required("url", OptionType.text.as("JDBC URL"), "jdbc:postgresql://db/shop")(
      "The URL of the database."
    )

  val DbTable: Opt[String] = Database.required("dbtable", table, "public.orders")(
    "The table, which must exist. Columns are matched by name, in upper or lower case."
  )

  val Driver: Opt[String] =
    OptionGroup.OfSpark.option("driver", OptionType.className, "org.postgresql.Driver")(
      "found by the URL",
      "The class of the database's driver, whose jar must be on Spark's driver and the executors. Known for " +
        "PostgreSQL, MySQL, MariaDB, SQLite and H2."
    )

  val User: Opt[String] = OptionGroup.OfSpark.option("user", OptionType.text, "shop")(
    "none",
    "The user of the connections."
  )

  val Password: Opt[String] = OptionGroup.OfSpark.option("password", OptionType.text, "secret")(
    "none",
    "The password of the user. Spark hides passwords in logs."
  )

  val DialectName: Opt[Dialect] =
    Database.option("dialect", OptionType.named(Dialect.all)(_.word), "postgresql")(
      "by the URL; else `merge`",
      "The SQL dialect of the database. `mysql` also covers MariaDB. `merge`: MERGE of the SQL standard."
    )

  val KeyColumns: Opt[Seq[String]] = Writing.option("keyColumns", OptionType.columnNames, "customer,day")(
    "none: rows are inserted",
    "The columns that identify a row: the primary key of the table, or a unique index. With this option, a row " +
      "is inserted, or replaces the row with the same key: repeated epochs change nothing. Without this option, " +
      "rows are inserted exactly once, each epoch in a single transaction that also records the epoch."
  )

  val VersionColumn: Opt[String] =
    Writing.option("versionColumn", OptionType.text.as("column"), "updated_at")(
      "none: the later row wins",
      "The column that decides which of two rows with the same key is newer: an existing row is replaced only by " +
        "a row with a greater value. Holds across batches, tasks and epochs. A number, a date or a timestamp. " +
        "Only with `keyColumns`."
    )

  val BatchSize: Opt[Int] = OptionGroup.OfSpark.withDefault("batchsize", count, 5000, "20000")(
    "The number of rows that a task sends and commits together: 5000 by default, and not 1000. Of several rows " +
      "with the same key in a batch, only the last row is sent."
  )

  val NumPartitions: Opt[Int] = OptionGroup.OfSpark.option("numPartitions", count, "8")(
    "the number of partitions of the rows",
    "The maximum number of writing tasks and thus of connections. The rows are shuffled: by key with " +
      "`keyColumns`."
  )

  val DistributionName: Opt[Boolean] =
    Writing.withDefault("distribution", OptionType.words("none" -> false, "byKey" -> true), false, "byKey")(
      "`byKey` shuffles all rows of a key to a single task."
    )

  val QueryTimeout: Opt[Int] =
    OptionGroup.OfSpark.option("queryTimeout", count.as("whole number of seconds"), "60")(
      "no limit",
      "The maximum duration of a statement, if the driver supports a limit."
    )

  val RetryTimeout: Opt[Long] = Failures.withDefault("retryTimeout", timeOrZero, 10 * 1000L, "2m")(
    "The maximum time of retries of a batch or a commit after a lost connection, a conflict with another " +
      "transaction, or an overloaded or starting server, with random pauses of increasing length. `0s`: no retry."
  )

  val OnBadRow: Opt[BadRow] =
    Failures.withDefault("onBadRow", RecoveryOptions.OnBadRow.values, BadRow.Fail, "reject")(
      "The reaction to a row that the table rejects. `fail`: the query ends. `reject`: the row goes to " +
        "`rejectTable`, and the query continues."
    )

  val RejectTableName: Opt[String] = Failures.option("rejectTable", table, "public.orders_rejected")(
    "the name of the table with the suffix `_rejected`",
    "The table of rejected rows, created if absent. Only with `onBadRow` = `reject`."
  )

  val SinkId: Opt[String] = Owner.withDefault(
    "sinkId",
    RecoveryOptions.SinkId.values.as("1 to 64 letters, digits, `.`, `_` or `-`"),
    SinkIdentity.DefaultSinkId,
    "clicks"
  )(
    "The name of this sink among the sinks of the table. Two queries need two names. The name also " +
      "identifies rejected rows."
  )

  val OnForeign: Opt[Foreign] =
    Owner.withDefault("onForeignQuery", RecoveryOptions.OnForeignQuery.values, Foreign.Refuse, "adopt")(
      "The reaction to a sink of another query, that is, of another checkpoint, or to a sink without a " +
        "record although this query has written epochs. `fail` rejects the start. `adopt` takes over the " +
        "sink if this query has passed all recorded epochs. `adoptAndRepeat` also writes epochs again that " +
        "are in the target. `adoptAndRepeat` is valid for one start: every later start with this value " +
        "counts as `fail` until a start without it has claimed the sink. Only without `keyColumns`."
    )

  val ProgressTable: Opt[String] = Owner.option("progressTable", table, "etl.stoplog_progress")(
    "`stoplog_epochs` in the schema of the table; in a write-ahead sink `stoplog_chunks`",
    "The table of the progress of each sink, created if absent: the committed epochs, or the chunks that a " +
      "[write-ahead sink](../beyond-files/wal.md) has sent. Not with `keyColumns`, except in a write-ahead sink."
  )

  private def timeOrZero: OptionType[Long] =
    OptionType.span.copy(parse =
      text => if (text.trim.matches("0+ *[a-zA-Z]+")) Right(0L) else OptionType.span.parse(text)
    )

  /** All options, in the order of the options page. */
  val all: Seq[Opt[_]] = Seq(
    Url,
    DbTable,
    Driver,
    User,
    Password,
    DialectName,
    KeyColumns,
    VersionColumn,
    BatchSize,
    NumPartitions,
    DistributionName,
    QueryTimeout,
    RetryTimeout,
    OnBadRow,
    RejectTableName,
    SinkId,
    OnForeign,
    ProgressTable
  )
}

/** The headings of `docs/reference/jdbc-options.md`. */
private[stoplog] object JdbcOptionGroup {
  case object Database extends OptionGroup("Which table")
  case object Writing  extends OptionGroup("How rows are written")
  case object Failures extends OptionGroup("Failures and bad rows")
  case object Owner    extends OptionGroup("Exactly once")

  val all: Seq[OptionGroup] = Seq(Database, Writing, Failures, Owner)
}
