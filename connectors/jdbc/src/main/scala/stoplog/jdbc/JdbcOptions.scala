// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{Map => JMap}

import stoplog.commit.{ForeignQuery, OnBadRow}
import stoplog.error.Redaction
import stoplog.jdbc.{JdbcOptionRegistry => Registry}
import stoplog.options.{Opt, OptionReader, SparkOptions}

/** How rows get into the table. */
private[jdbc] sealed trait WriteMode
private[jdbc] object WriteMode {

  /** @param keys in the spelling of the option */
  final case class Upsert(keys: Seq[String])                                           extends WriteMode
  final case class Transactional(epochsTable: Option[String], onForeign: ForeignQuery) extends WriteMode
}

/** How the rows are spread over the tasks. */
private[jdbc] sealed trait Spread
private[jdbc] object Spread {
  case object AsTheyAre                         extends Spread
  final case class Together(tasks: Option[Int]) extends Spread
}

/** A table of a database.
  *
  * @param url as JDBC has it, which may hold a password
  */
private[jdbc] final case class DatabaseTable(url: String, table: String, dialect: Dialect)

/** How rows are sent.
  *
  * @param rejectTable where bad rows go; `None` if they end the query
  */
private[jdbc] final case class RowOptions(batchRows: Int, spread: Spread, rejectTable: Option[String])

/** @param timeoutSeconds of a statement; 0 for none
  * @param maxTries       of a request, the first one included
  */
private[jdbc] final case class RequestOptions(timeoutSeconds: Int, maxTries: Int, retryWaitMillis: Long)

/** What a sink was asked to do: all options of one write, checked and with their defaults.
  *
  * The meaning, default and an example of every option are in [[JdbcOptionRegistry]].
  *
  * @param toSpark what Spark's own JDBC classes get: `url`, `dbtable`, `driver` and the driver's properties
  * @param toMap   the options that stand for this sink, those at their defaults left out
  */
private[jdbc] final case class JdbcOptions(
    at: DatabaseTable,
    mode: WriteMode,
    rows: RowOptions,
    requests: RequestOptions,
    sinkId: String,
    toSpark: Map[String, String],
    toMap: Map[String, String]
) {

  /** By which Spark knows how names are quoted and types are called. */
  def sparkUrl: String = at.dialect.sparkUrl(at.url)

  /** The URL without what follows its first `?` or `;`, or is before an `@`: that is where passwords are. */
  def database: String =
    Redaction.text(at.url.takeWhile(c => c != '?' && c != ';').replaceAll("[^/:]*(:[^/:@]*)?@", ""))
}

private[jdbc] object JdbcOptions {

  /** Reads the options of a write, whatever the case of their names.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once.
    */
  def parse(options: JMap[String, String]): JdbcOptions = {
    val asked = new OptionReader(SparkOptions.spelled(options), Registry.all)
    val url   = needed(asked, Registry.Url)
    val table = needed(asked, Registry.DbTable)
    if (url.nonEmpty && !url.startsWith("jdbc:"))
      asked.errors.add(s"url = '${Redaction.url(url)}' does not begin with jdbc:.")
    val dialect = asked.get(Registry.DialectName)
    val mode    = modeOf(asked)
    val passed  = DriverProperties.parse(asked)
    val read    = JdbcOptions(
      at = DatabaseTable(url, table, dialect.getOrElse(Dialect.of(url))),
      mode = mode,
      rows = RowOptions(asked(Registry.BatchSize), spreadOf(asked), rejects(asked, table)),
      requests = RequestOptions(
        asked.get(Registry.QueryTimeout).getOrElse(0),
        asked(Registry.MaxTries),
        asked(Registry.RetryWait)
      ),
      sinkId = asked(Registry.SinkId),
      toSpark = Map.empty,
      toMap = asked.registeredValues ++ passed
    )
    asked.errors.throwIfAny()
    read.copy(toSpark = DriverProperties.toSpark(asked, passed, read.at.dialect))
  }

  private def modeOf(asked: OptionReader): WriteMode = {
    val keys  = asked.get(Registry.KeyColumns).getOrElse(Nil)
    val byKey = asked.get(Registry.WriteModeName).getOrElse(asked.isSet(Registry.KeyColumns))
    if (byKey) {
      if (!asked.isSet(Registry.KeyColumns))
        asked.errors.add("keyColumns is not set, which writeMode = 'upsert' needs.")
      asked.withoutEffect(Seq(Registry.EpochsTableName, Registry.OnForeign), "with writeMode = 'upsert'")
      WriteMode.Upsert(keys)
    } else {
      asked.withoutEffect(
        Seq(Registry.KeyColumns, Registry.DistributionName),
        "with writeMode = 'transactional'"
      )
      WriteMode.Transactional(asked.text(Registry.EpochsTableName), asked(Registry.OnForeign))
    }
  }

  private def spreadOf(asked: OptionReader): Spread = {
    val tasks    = asked.get(Registry.NumPartitions)
    val together = asked(Registry.DistributionName)
    if (together || tasks.isDefined) Spread.Together(tasks) else Spread.AsTheyAre
  }

  private def rejects(asked: OptionReader, table: String): Option[String] =
    asked(Registry.OnBadRow) match {
      case OnBadRow.Fail =>
        asked.withoutEffect(Seq(Registry.RejectTableName), "unless onBadRow is set to reject")
        None
      case OnBadRow.Reject =>
        Some(asked.text(Registry.RejectTableName).getOrElse(rejectedBeside(table)))
    }

  private def rejectedBeside(table: String): String =
    if (table.endsWith("\"") || table.endsWith("`")) s"${table.dropRight(1)}_rejected${table.last}"
    else s"${table}_rejected"

  private def needed(asked: OptionReader, option: Opt[_]): String =
    asked.text(option).map(_.trim).getOrElse {
      asked.errors.add(s"${option.key} is not set.")
      ""
    }
}
