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

/** What a sink was asked to do: all options of one write, checked and with their defaults.
  *
  * The meaning, default and an example of every option are in [[JdbcOptionRegistry]].
  *
  * @param rejectTable  where bad rows go; none if they end the query
  * @param toSpark      what Spark's own JDBC classes get: `url`, `dbtable`, `driver` and the driver's properties
  * @param toMap        the options that stand for this sink, those at their defaults left out
  */
private[jdbc] final case class JdbcOptions(
    url: String,
    table: String,
    dialect: Dialect,
    mode: WriteMode,
    batchRows: Int,
    spread: Spread,
    queryTimeoutSeconds: Int,
    maxTries: Int,
    retryWaitMillis: Long,
    rejectTable: Option[String],
    sinkId: String,
    toSpark: Map[String, String],
    toMap: Map[String, String]
) {

  /** By which Spark knows how names are quoted and types are called. */
  def sparkUrl: String = dialect.sparkUrl(url)

  /** The URL without what follows its first `?` or `;`, or is before an `@`: that is where passwords are. */
  def database: String =
    Redaction.text(url.takeWhile(c => c != '?' && c != ';').replaceAll("[^/:]*(:[^/:@]*)?@", ""))
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
      url = url,
      table = table,
      dialect = dialect.getOrElse(Dialect.of(url)),
      mode = mode,
      batchRows = asked(Registry.BatchSize),
      spread = spreadOf(asked),
      queryTimeoutSeconds = asked.get(Registry.QueryTimeout).getOrElse(0),
      maxTries = asked(Registry.MaxTries),
      retryWaitMillis = asked(Registry.RetryWait),
      rejectTable = rejects(asked, table),
      sinkId = asked(Registry.SinkId),
      toSpark = Map.empty,
      toMap = asked.registeredValues ++ passed
    )
    asked.errors.throwIfAny()
    read.copy(toSpark = DriverProperties.toSpark(asked, passed, read.dialect))
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
