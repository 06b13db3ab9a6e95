// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{Locale, Map => JMap}

import scala.util.Try

import stoplog.commit.ForeignQuery
import stoplog.error.Redaction
import stoplog.jdbc.{JdbcOptionRegistry => Registry}
import stoplog.options.{Opt, OptionReader, SparkOptions, Suggestion}
import stoplog.writing.OnBadRow

/** The mode in which rows are written to the table. */
private[jdbc] sealed trait WriteMode
private[jdbc] object WriteMode {

  /** @param keys the key columns, in the spelling of the option */
  final case class Upsert(keys: Seq[String])                                           extends WriteMode
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

/** @param timeoutSeconds the timeout of a statement; 0 for no timeout
  * @param maxTries       the maximum number of attempts of a request, including the first attempt
  */
private[jdbc] final case class RequestOptions(timeoutSeconds: Int, maxTries: Int, retryWaitMillis: Long)

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
  def parse(options: JMap[String, String]): JdbcOptions = {
    val reader = new OptionReader(SparkOptions.spelled(options), Registry.all)
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
        reader(Registry.MaxTries),
        reader(Registry.RetryWait)
      ),
      sinkId = reader(Registry.SinkId),
      toSpark = Map.empty,
      toMap = reader.registeredValues ++ passed
    )
    reader.errors.throwIfAny()
    read.copy(toSpark = DriverProperties.toSpark(reader, passed, read.at.dialect))
  }

  private def modeOf(reader: OptionReader): WriteMode = {
    val keys  = reader.get(Registry.KeyColumns).getOrElse(Nil)
    val byKey = reader.get(Registry.WriteModeName).getOrElse(reader.isSet(Registry.KeyColumns))
    if (byKey) {
      if (!reader.isSet(Registry.KeyColumns))
        reader.errors.add("keyColumns is not set, which writeMode = 'upsert' needs.")
      reader.withoutEffect(Seq(Registry.EpochsTableName, Registry.OnForeign), "with writeMode = 'upsert'")
      WriteMode.Upsert(keys)
    } else {
      reader.withoutEffect(
        Seq(Registry.KeyColumns, Registry.DistributionName),
        "with writeMode = 'transactional'"
      )
      WriteMode.Transactional(reader.text(Registry.EpochsTableName), reader(Registry.OnForeign))
    }
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
        Some(reader.text(Registry.RejectTableName).getOrElse(defaultRejectTable(table)))
    }

  private def defaultRejectTable(table: String): String =
    if (table.endsWith("\"") || table.endsWith("`")) s"${table.dropRight(1)}_rejected${table.last}"
    else s"${table}_rejected"

  private def needed(reader: OptionReader, option: Opt[_]): String =
    reader.text(option).map(_.trim).getOrElse {
      reader.errors.add(s"${option.key} is not set.")
      ""
    }
}

/** Classifies keys that are not options of the sink: properties of the database's driver, Spark's own
  * options, and mistakes.
  */
private[jdbc] object DriverProperties {

  /** Returns the properties of the driver. As with Spark's own `jdbc`, these are all unknown keys; a key that
    * looks like a misspelled option is reported.
    */
  def parse(reader: OptionReader): Map[String, String] = {
    val (known, rest) = reader.others
      .filterNot { case (key, _) => SparkOptions.isSparks(key) }
      .partition { case (key, _) => ofSparksJdbc(lower(key)) }
    for ((key, _) <- known)
      reader.errors.add(s"$key is an option of Spark's own jdbc format that has no effect here: remove it.")
    for {
      (key, _) <- rest if key.length > ShortestMistake
      meant    <- Suggestion.of(key, Registry.all.map(_.key))
    } reader.errors.add(
      s"$key is not an option: did you mean $meant? A property of the driver can be part of url."
    )
    rest.toMap
  }

  /** Adds the dialect's defaults, unless the URL or an option sets them. */
  def toSpark(reader: OptionReader, passed: Map[String, String], dialect: Dialect): Map[String, String] = {
    val own      = Seq(Registry.Url, Registry.DbTable, Registry.Driver, Registry.User, Registry.Password)
    val url      = reader.text(Registry.Url).getOrElse("")
    val defaults = dialect.driverDefaults.filterNot { case (key, _) =>
      url.contains(s"$key=") || passed.keys.exists(_.equalsIgnoreCase(key))
    }
    // MariaDB's client rejects unknown properties, and sends efficient batches by default.
    val fitting = if (url.startsWith("jdbc:mariadb:")) Map.empty[String, String] else defaults
    own.flatMap(option => reader.text(option).map(option.key -> _)).toMap ++ driverClass(
      reader,
      url
    ) ++ fitting ++ passed
  }

  // Java discovers drivers only in the system class path, not in jars of --jars or --packages.
  private def driverClass(reader: OptionReader, url: String): Map[String, String] =
    if (reader.isSet(Registry.Driver)) Map.empty
    else
      known.collectFirst {
        case (start, name) if url.startsWith(start) && isThere(name) => Registry.Driver.key -> name
      }.toMap

  private val known = Seq(
    "jdbc:postgresql:" -> "org.postgresql.Driver",
    "jdbc:mysql:"      -> "com.mysql.cj.jdbc.Driver",
    "jdbc:mariadb:"    -> "org.mariadb.jdbc.Driver",
    "jdbc:sqlite:"     -> "org.sqlite.JDBC",
    "jdbc:h2:"         -> "org.h2.Driver"
  )

  private def isThere(name: String): Boolean =
    Option(Thread.currentThread.getContextClassLoader)
      .exists(loader => Try(Class.forName(name, false, loader)).isSuccess)

  private val ofSparksJdbc = Set(
    "query", "partitioncolumn", "lowerbound", "upperbound", "fetchsize", "truncate", "cascadetruncate",
    "createtableoptions", "createtablecolumntypes", "customschema", "isolationlevel", "sessioninitstatement",
    "pushdownpredicate", "pushdownaggregate", "pushdownlimit", "pushdownoffset", "pushdowntablesample",
    "preparequery", "prefertimestampntz", "path"
  )

  // Shorter names are too similar to each other: `ssl` is not a misspelled `url`.
  private final val ShortestMistake = 4

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)
}
