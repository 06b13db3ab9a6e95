// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.options

import java.util.{Locale, Map => JMap}

import stoplog.commit.ForeignQuery
import stoplog.error.Redaction
import stoplog.jdbc.client.{Dialect, RequestOptions, TableName}
import stoplog.jdbc.options.{JdbcOptionRegistry => Registry}
import stoplog.options.{Opt, OptionErrors, OptionReader, SparkOptions}
import stoplog.writing.OnBadRow

/** The mode in which rows are written to the table. */
private[jdbc] sealed trait WriteMode
private[jdbc] object WriteMode {

  /** @param keys    the key columns, in the spelling of the option
    * @param version the column whose greater value wins
    */
  final case class Upsert(keys: Seq[String], version: Option[String] = None)           extends WriteMode
  final case class Transactional(epochsTable: Option[String], onForeign: ForeignQuery) extends WriteMode
}

/** The distribution of the rows over the tasks. */
private[jdbc] sealed trait Spread
private[jdbc] object Spread {
  case object Unchanged                      extends Spread
  final case class ByKey(tasks: Option[Int]) extends Spread
}

/** A table of a database.
  *
  * @param url the JDBC URL, which may contain a password
  */
private[jdbc] final case class DatabaseTable(url: String, table: String, dialect: Dialect)

/** The batches of rows, and their distribution.
  *
  * @param rejectTable the table of bad rows; `None` if bad rows fail the query
  */
private[jdbc] final case class RowOptions(batchRows: Int, spread: Spread, rejectTable: Option[String])

/** All options of a write, checked and with their defaults.
  *
  * [[JdbcOptionRegistry]] contains the meaning, the default and an example of every option.
  *
  * @param toSpark the options of Spark's own JDBC classes: `url`, `dbtable`, `driver` and the driver's
  *                properties
  * @param toMap   the options of this sink, without options at their defaults
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

  /** The URL by which Spark chooses the quoting of names and the names of types. */
  def sparkUrl: String = at.dialect.sparkUrl(at.url)

  /** The URL without the part after the first `?` or `;`, and without the part before an `@`: these parts may
    * contain passwords.
    */
  def database: String =
    Redaction.text(at.url.takeWhile(c => c != '?' && c != ';').replaceAll("[^/:]*(:[^/:@]*)?@", ""))

  /** The server-independent name of the database: a database may move to another server with all its
    * contents. Contains no secrets.
    */
  def databaseName: String = {
    val (main, parameters) = at.url.stripPrefix("jdbc:").span(c => c != '?' && c != ';')
    val (kind, behind)     = main.span(_ != ':')
    val name               = behind.drop(1) match {
      case JdbcOptions.BehindServer(path) => path.drop(path.lastIndexOf('@') + 1)
      case JdbcOptions.BehindOracle(name) => name
      case path                           => path
    }
    val inUrl =
      parameters.split("[?;&]").toSeq.map(_.split("=", 2)).collect { case Array(key, value) => key -> value }
    val choices = (toSpark ++ inUrl).toSeq.collect {
      case (key, value) if JdbcOptions.Choosing(key.toLowerCase(Locale.ROOT)) =>
        s" with ${key.toLowerCase(Locale.ROOT)} $value"
    }
    Redaction.text(s"$kind:$name${choices.sorted.mkString}")
  }
}

private[jdbc] object JdbcOptions {

  /** Parameters of URLs and drivers that select a database of a server, or the default schema. */
  private val Choosing = Set("databasename", "database", "currentschema", "schema", "dbname")

  // The part after the server's address, if the URL has a server.
  private val BehindServer = "(?s)[^/]*//[^/]*/?(.*)".r
  private val BehindOracle = "(?s).*@(?:.*[:/])?(.*)".r

  /** Parses the options of a write; option names are case-insensitive.
    *
    * Throws `STOPLOG_INVALID_OPTIONS` with all problems at once.
    */
  def parse(options: JMap[String, String]): JdbcOptions = parse(options, new OptionErrors)

  /** @param errors problems of other options of the caller, and then of these options */
  def parse(options: JMap[String, String], errors: OptionErrors): JdbcOptions = {
    val reader = new OptionReader(SparkOptions.spelled(options), Registry.all, errors)
    val url    = needed(reader, Registry.Url)
    val table  = needed(reader, Registry.DbTable)
    if (url.nonEmpty && !url.startsWith("jdbc:"))
      reader.errors.add(s"url = '${Redaction.url(url)}' does not begin with jdbc:.")
    val dialect = reader.get(Registry.DialectName)
    val mode    = modeOf(reader)
    val passed  = DriverProperties.parse(reader)
    val read    = JdbcOptions(
      at = DatabaseTable(url, table, dialect.getOrElse(Dialect.of(url))),
      mode = mode,
      rows = RowOptions(reader(Registry.BatchSize), spreadOf(reader), rejects(reader, table)),
      requests = RequestOptions(
        reader.get(Registry.QueryTimeout).getOrElse(0),
        reader(Registry.RetryTimeout)
      ),
      sinkId = reader(Registry.SinkId),
      toSpark = Map.empty,
      toMap = reader.registeredValues ++ passed
    )
    reader.errors.throwIfAny()
    read.copy(toSpark = DriverProperties.toSpark(reader, passed, read.at.dialect))
  }

  private def modeOf(reader: OptionReader): WriteMode = reader.get(Registry.KeyColumns) match {
    case Some(keys) =>
      reader.withoutEffect(Seq(Registry.ProgressTable, Registry.OnForeign), "with keyColumns")
      WriteMode.Upsert(keys, reader.get(Registry.VersionColumn))
    case None =>
      if (!reader.isSet(Registry.KeyColumns))
        reader.withoutEffect(Seq(Registry.VersionColumn, Registry.DistributionName), "without keyColumns")
      WriteMode.Transactional(reader.text(Registry.ProgressTable), reader(Registry.OnForeign))
  }

  private def spreadOf(reader: OptionReader): Spread = {
    val tasks    = reader.get(Registry.NumPartitions)
    val together = reader(Registry.DistributionName)
    if (together || tasks.isDefined) Spread.ByKey(tasks) else Spread.Unchanged
  }

  private def rejects(reader: OptionReader, table: String): Option[String] =
    reader(Registry.OnBadRow) match {
      case OnBadRow.Fail =>
        reader.withoutEffect(Seq(Registry.RejectTableName), "unless onBadRow is set to reject")
        None
      case OnBadRow.Reject =>
        Some(reader.text(Registry.RejectTableName).getOrElse(TableName.withSuffix(table, "_rejected")))
    }

  private def needed(reader: OptionReader, option: Opt[_]): String =
    reader.text(option).map(_.trim).getOrElse {
      reader.errors.add(s"${option.key} is not set.")
      ""
    }
}
